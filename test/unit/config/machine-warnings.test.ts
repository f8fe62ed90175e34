import { expect, it } from 'vitest';
import { type Machine, machineWarnings, thisMachine } from '../../../src/config/machine-warnings.ts';

const mebibyte = 2 ** 20;

function warned(
  sizeMiB: number,
  workers: number | 'auto',
  machine: Partial<Machine> = {},
): readonly string[] {
  const cache = { memory: { sizeBytes: sizeMiB * mebibyte } };
  const has = { memoryBytes: 1_024 * mebibyte, memoryLimitBytes: undefined, cores: 4, ...machine };
  return Array.from(
    machineWarnings({ cache, workers }, has),
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
