import { crc32, deflateSync } from 'node:zlib';

/** Red, green, blue and opacity, each 0 to 255. */
export type Pixel = readonly [red: number, green: number, blue: number, alpha: number];

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Encodes a square picture of `size` pixels with at most 256 colours as a PNG file. */
export function encodePng(size: number, pixelAt: (x: number, y: number) => Pixel): Buffer {
  const palette = new Map<string, { readonly index: number; readonly pixel: Pixel }>();
  const rows = Buffer.alloc(size * (size + 1));
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const pixel = pixelAt(x, y);
      const entry = palette.get(pixel.join()) ?? { index: palette.size, pixel };
      palette.set(pixel.join(), entry);
      // each row starts with a filter byte, which stays 0 (no filter)
      rows[y * (size + 1) + 1 + x] = entry.index;
    }
  }
  const pixels = Array.from(palette.values(), ({ pixel }) => pixel);
  return Buffer.concat([
    signature,
    chunk('IHDR', header(size)),
    chunk('PLTE', Buffer.from(pixels.flatMap(pixel => pixel.slice(0, 3)))),
    chunk('tRNS', Buffer.from(pixels.map(([, , , alpha]) => alpha))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Width, height, 8 bits per pixel, indexed colour; default compression and filter methods, no interlacing. */
function header(size: number): Buffer {
  const fields = Buffer.alloc(13);
  fields.writeUInt32BE(size, 0);
  fields.writeUInt32BE(size, 4);
  fields.set([8, 3, 0, 0, 0], 8);
  return fields;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
