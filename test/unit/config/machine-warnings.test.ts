import { expect, it } from 'vitest';
import type { GatewayConfig } from '../../../src/config/gateway-config.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { type Machine, machineWarnings, thisMachine } from '../../../src/config/machine-warnings.ts';

const mebibyte = 2 ** 20;

function warned(
  sizeMiB: number,
  workers: number | 'auto',
  machine: Partial<Machine> = {},
  { buckets }: Pick<GatewayConfig, 'buckets'> = { buckets: {} },
): readonly string[] {
  const cache = { memory: { sizeBytes: sizeMiB * mebibyte } };
  const has = { memoryBytes: 1_024 * mebibyte, memoryLimitBytes: undefined, cores: 4, ...machine };
  return Array.from(
    machineWarnings({ buckets, cache, workers }, has),
    ({ path, consequence }) => `${path.join('.')}: ${consequence}`,
  );
}

it('warns of a cache that, with the heaps of the workers, is larger than the memory of the machine', () => {
  expect(warned(924, 1)).toEqual([]);
  expect(warned(925, 1)).toEqual([
    'cache.memory.size: with the heaps of the workers (1) that is 1025MiB, but this machine has 1024MiB',
  ]);
  expect(warned(924, 2)).toHaveLength(1);
  expect(warned(700, 'auto')).toEqual([expect.stringContaining('workers (4)')]);
});

it('warns of a cache that is larger than its size, because each worker has at least eight of the largest blocks', () => {
  const machine = { memoryBytes: 2 ** 40 };
  expect(warned(32, 4, machine)).toEqual([]);
  expect(warned(31, 4, machine)).toEqual([
    'cache.memory.size: the cache takes 32MiB, because each of the workers (4) has at least 8 times the largest blockSize (1MiB)',
  ]);
  const { buckets } = parseConfig(
    `backends: { main: { type: s3, endpoint: "http://x", keys: exact } }
buckets:
  a: { backend: main, access: verify, cache: { blockSize: 2MiB } }
  b: { backend: main, access: verify, rules: [{ keys: ["x/**"], cache: { blockSize: 16MiB } }] }`,
    {},
  );
  expect(warned(512, 4, machine, { buckets })).toEqual([]);
  expect(warned(500, 'auto', { ...machine, cores: 8 }, { buckets })).toEqual([
    'cache.memory.size: the cache takes 1024MiB, because each of the workers (8) has at least 8 times the largest blockSize (16MiB)',
  ]);
});

it('what the cache takes at least counts beside the memory of the machine', () => {
  expect(warned(16, 8, { memoryBytes: 864 * mebibyte })).toHaveLength(1);
  expect(warned(16, 8, { memoryBytes: 863 * mebibyte })).toEqual([
    expect.stringContaining('takes 64MiB'),
    expect.stringContaining('that is 864MiB, but this machine has 863MiB'),
  ]);
});

it('the limit of a container counts', () => {
  const memoryLimitBytes = 512 * mebibyte;
  expect(warned(512, 1, { memoryLimitBytes })).toEqual([
    'cache.memory.size: with the heaps of the workers (1) that is 612MiB, but the control group of this process has 512MiB',
  ]);
  expect(warned(400, 1, { memoryLimitBytes })).toEqual([]);
});

it('knows this machine', () => {
  const { memoryBytes, memoryLimitBytes = memoryBytes, cores } = thisMachine();
  expect(memoryBytes).toBeGreaterThan(64 * mebibyte);
  expect(memoryLimitBytes).toBeGreaterThan(0);
  expect(memoryLimitBytes).toBeLessThanOrEqual(memoryBytes);
  expect(cores).toBeGreaterThan(0);
});
