import { crc32, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { encodePng, type Pixel } from '../../../../src/alerts/card/png.ts';
import { type Tone, toneColours } from '../../../../src/alerts/card/tone.ts';
import { toneImage } from '../../../../src/alerts/card/tone-image.ts';

interface Decoded {
  readonly size: number;
  pixelAt(x: number, y: number): readonly number[];
}

/** Reads what `encodePng` writes, by the PNG specification: chunks with their checksums, then pixels by palette. */
function decode(png: Buffer): Decoded {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body));
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4));
    at += 12 + length;
  }
  expect([...chunks.keys()]).toEqual(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
  const chunk = (name: string) => chunks.get(name) ?? Buffer.alloc(0);
  expect([...chunk('IHDR').subarray(8)]).toEqual([8, 3, 0, 0, 0]);
  const size = chunk('IHDR').readUInt32BE(0);
  const rows = inflateSync(chunk('IDAT'));
  expect(rows.length).toBe(size * (size + 1));
  return {
    size,
    pixelAt(x, y) {
      const colour = rows[y * (size + 1) + 1 + x] ?? 0;
      return [...chunk('PLTE').subarray(colour * 3, colour * 3 + 3), chunk('tRNS')[colour] ?? 255];
    },
  };
}

it('writes every pixel as it was asked for', () => {
  const pixelAt = (x: number, y: number): Pixel => [x * 10, y * 10, (x + y) % 7, x === y ? 0 : 255];
  const { size, pixelAt: read } = decode(encodePng(9, pixelAt));
  expect(size).toBe(9);
  for (let y = 0; y < 9; y++) for (let x = 0; x < 9; x++) expect(read(x, y)).toEqual(pixelAt(x, y));
});

it.each<Tone>(['critical', 'warning', 'info', 'resolved'])(
  'shows a disc in the colour of %s with a white mark, small enough for every card',
  tone => {
    const url = toneImage(tone);
    expect(url.length).toBeLessThan(600);
    const { size, pixelAt } = decode(Buffer.from(url.replace('data:image/png;base64,', ''), 'base64'));
    const pixels = Array.from({ length: size * size }, (_, index) =>
      pixelAt(index % size, Math.floor(index / size)),
    );
    const count = (colour: readonly number[]) =>
      pixels.filter(pixel => pixel.join() === colour.join()).length;
    expect(pixelAt(0, 0)[3]).toBe(0);
    expect(count([...Buffer.from(toneColours[tone], 'hex'), 255])).toBeGreaterThan(400);
    expect(count([255, 255, 255, 255])).toBeGreaterThan(20);
  },
);
