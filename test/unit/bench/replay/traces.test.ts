import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { generate, generatedTrace } from '../../../bench/replay/generated-traces.ts';
import { footprintBytes, nextRequests } from '../../../bench/replay/trace.ts';
import { parseTextTrace, readTraceFile } from '../../../bench/replay/trace-files.ts';
import { Random } from '../../../fuzz/random.ts';

function oracleGeneral(requests: readonly (readonly [object: bigint, sizeBytes: number])[]): Buffer {
  return Buffer.concat(
    requests.map(([object, sizeBytes], at) => {
      const request = Buffer.alloc(24);
      request.writeUInt32LE(at, 0);
      request.writeBigUInt64LE(object, 4);
      request.writeUInt32LE(sizeBytes, 12);
      request.writeBigInt64LE(-1n, 16);
      return request;
    }),
  );
}

it('reads traces of oracleGeneral, packed or not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-trace-'));
  const bytes = oracleGeneral([
    [2n ** 63n, 100],
    [7n, 0],
    [2n ** 63n, 50],
  ]);
  for (const [name, stored] of [
    ['one.oracleGeneral', bytes],
    ['one.oracleGeneral.bin', bytes],
    ['one.oracleGeneral.zst', zstdCompressSync(bytes)],
  ] as const) {
    writeFileSync(join(folder, name), stored);
    const trace = readTraceFile(join(folder, name));
    expect([...trace.objects]).toEqual([0, 1, 0]);
    expect([...trace.sizesBytes], 'the first request decides; nothing is of no bytes').toEqual([100, 1]);
  }
  writeFileSync(join(folder, 'cut.oracleGeneral'), bytes.subarray(0, 40));
  expect(() => readTraceFile(join(folder, 'cut.oracleGeneral'))).toThrow(RangeError);
});

it('reads traces of lines with sizes and names', () => {
  const trace = parseTextTrace('text', '# a comment\n\n10 /a b\n20,/c\r\n10 /a b\n');
  expect([...trace.objects]).toEqual([0, 1, 0]);
  expect([...trace.sizesBytes]).toEqual([10, 20]);
  expect(footprintBytes(trace)).toBe(30);
  expect([...nextRequests(trace)]).toEqual([2, Infinity, Infinity]);
  for (const line of ['x /a', '10', '-1 /a', '1e3 /a'])
    expect(() => parseTextTrace('text', line)).toThrow('line 1');
});

it("generated traces follow Zipf's law, and are the same each time", () => {
  const recipe = { objects: 1_000, requests: 50_000, skew: 1, sizeBytes: () => 1 };
  const { objects } = generate(recipe, new Random(3));
  expect(generate(recipe, new Random(3)).objects).toEqual(objects);
  const asked = (object: number) => objects.filter(one => one === object).length;
  // the sum of 1/r up to 1000 is 7.485
  expect(asked(0) / 50_000).toBeCloseTo(1 / 7.485, 2);
  expect(asked(1) / 50_000).toBeCloseTo(1 / 2 / 7.485, 2);
});

it('scans have the wanted share of the requests, for objects that nobody asks for again', () => {
  const recipe = { objects: 100, requests: 200_000, skew: 1, sizeBytes: () => 1, scanned: 0.2 };
  const { objects } = generate(recipe, new Random(1));
  const scanned = objects.filter(object => object >= 100);
  expect(new Set(scanned).size).toBe(scanned.length);
  expect(scanned.length / objects.length).toBeGreaterThan(0.1);
  expect(scanned.length / objects.length).toBeLessThan(0.3);
});

it('with drift other objects are asked for most after a while', () => {
  const recipe = { objects: 1_000, requests: 100_000, skew: 1, sizeBytes: () => 1, drift: 0.001 };
  const { objects } = generate(recipe, new Random(1));
  const share = (from: number) =>
    objects.subarray(from, from + 1_000).filter(one => one === 0).length / 1_000;
  expect(share(0)).toBeGreaterThan(0.05);
  expect(share(99_000)).toBeLessThan(0.05);
});

it('sizes are spread over all magnitudes', () => {
  const { sizesBytes } = generatedTrace('1 KiB to 64 MiB');
  const inDecade = (from: number) => sizesBytes.filter(one => one >= from && one < from * 2).length;
  expect(Math.min(...sizesBytes)).toBeGreaterThanOrEqual(1_024);
  expect(Math.max(...sizesBytes)).toBeLessThanOrEqual(64 * 1_048_576);
  expect(inDecade(1_024) / sizesBytes.length).toBeCloseTo(1 / 16, 1);
  expect(inDecade(32 * 1_048_576) / sizesBytes.length).toBeCloseTo(1 / 16, 1);
  expect(() => generatedTrace('none')).toThrow(RangeError);
});
