import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import type { GatewayConfig } from '../../../src/config/gateway-config.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import {
  type Machine,
  machineWarnings,
  refuseWhatDoesNotFit,
  thisMachine,
} from '../../../src/config/machine-warnings.ts';

const mebibyte = 2 ** 20;

type Buckets = Pick<GatewayConfig, 'buckets'>;

function started(
  sizeMiB: number,
  workers: number | 'auto',
  machine: Partial<Machine>,
  { buckets }: Buckets = { buckets: {} },
) {
  const cache = { memory: { sizeBytes: sizeMiB * mebibyte } };
  const has = { memoryBytes: 1_024 * mebibyte, memoryLimitBytes: undefined, cores: 4, ...machine };
  return { config: { buckets, cache, workers }, has };
}

function warned(
  sizeMiB: number,
  workers: number | 'auto',
  machine: Partial<Machine> = {},
  buckets?: Buckets,
): readonly string[] {
  const { config, has } = started(sizeMiB, workers, machine, buckets);
  return Array.from(
    machineWarnings(config, has),
    ({ path, consequence }) => `${path.join('.')}: ${consequence}`,
  );
}

/** Why a start is refused; undefined where it is not. */
function refused(
  sizeMiB: number,
  workers: number | 'auto',
  machine: Partial<Machine> = {},
  buckets?: Buckets,
) {
  const { config, has } = started(sizeMiB, workers, machine, buckets);
  try {
    refuseWhatDoesNotFit(config, 'x.yaml', has);
    return undefined;
  } catch (error) {
    return error instanceof ConfigError ? error.problems.join() : error;
  }
}

it('warns of a cache that, with the heaps of the process, is larger than the memory of the machine', () => {
  expect(warned(824, 1)).toEqual([]);
  expect(warned(825, 1)).toEqual([
    'cache.memory.size: with the heaps of the process and its workers (1) that is 1025MiB, but this machine has 1024MiB',
  ]);
  expect(warned(824, 2)).toHaveLength(1);
  expect(warned(600, 'auto')).toEqual([expect.stringContaining('workers (4)')]);
});

it('a start is refused where cache and process do not fit even while nobody asks, and is told what would', () => {
  expect(refused(874, 1)).toBeUndefined();
  expect(refused(875, 1)).toBe(
    'cache.memory.size does not fit: the cache of 875MiB and the process itself with its workers (1) take 1025MiB, but this machine has 1024MiB; 824MiB would fit',
  );
  expect(refused(875, 'auto')).toContain(
    'its workers (4) take 1175MiB, but this machine has 1024MiB; 524MiB would fit',
  );
});

it('the limit of a container counts for a start', () => {
  const memoryLimitBytes = 512 * mebibyte;
  expect(refused(400, 1, { memoryLimitBytes })).toContain(
    'but the control group of this process has 512MiB; 312MiB would fit',
  );
  expect(refused(312, 1, { memoryLimitBytes })).toBeUndefined();
  expect(warned(312, 1, { memoryLimitBytes })).toEqual([]);
});

it('a start is refused where no size would fit: the least that the workers take counts', () => {
  const none = expect.stringMatching(/; no size fits beside so many workers \(\d+\)$/);
  expect(refused(16, 20)).toEqual(none);
  expect(refused(600, 1, { memoryBytes: 215 * mebibyte })).toEqual(none);
  expect(refused(600, 1, { memoryBytes: 216 * mebibyte })).toContain('16MiB would fit');
  expect(refused(600, 4, { memoryBytes: 515 * mebibyte })).toEqual(none);
  expect(refused(600, 4, { memoryBytes: 531 * mebibyte })).toEqual(none);
  expect(refused(600, 4, { memoryBytes: 532 * mebibyte })).toContain('32MiB would fit');
  const { buckets } = parseConfig(
    `backends: { main: { type: s3, endpoint: "http://x", keys: exact } }
buckets: { a: { backend: main, access: verify, cache: { blockSize: 16MiB } } }`,
    {},
  );
  expect(refused(16, 8, {}, { buckets })).toContain('the cache of 1024MiB');
});

it('what is said to fit is neither refused nor warned of', () => {
  const mebibytes = (least: number, most: number) => fc.integer({ min: least, max: most });
  fc.assert(
    fc.property(mebibytes(64, 65_536), fc.integer({ min: 1, max: 64 }), (memoryMiB, workers) => {
      const machine = { memoryBytes: memoryMiB * mebibyte };
      const fits = /(\d+)MiB would fit/.exec(String(refused(memoryMiB, workers, machine)))?.[1];
      if (fits === undefined) return;
      expect([refused(Number(fits), workers, machine), warned(Number(fits), workers, machine)]).toEqual([
        undefined,
        [],
      ]);
    }),
  );
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
  expect(warned(16, 8, { memoryBytes: 964 * mebibyte })).toHaveLength(1);
  expect(warned(16, 8, { memoryBytes: 963 * mebibyte })).toEqual([
    expect.stringContaining('takes 64MiB'),
    expect.stringContaining('that is 964MiB, but this machine has 963MiB'),
  ]);
});

it('the limit of a container counts', () => {
  const memoryLimitBytes = 512 * mebibyte;
  expect(warned(512, 1, { memoryLimitBytes })).toEqual([
    'cache.memory.size: with the heaps of the process and its workers (1) that is 712MiB, but the control group of this process has 512MiB',
  ]);
  expect(warned(312, 1, { memoryLimitBytes })).toEqual([]);
});

it('knows this machine', () => {
  const { memoryBytes, memoryLimitBytes = memoryBytes, cores } = thisMachine();
  expect(memoryBytes).toBeGreaterThan(64 * mebibyte);
  expect(memoryLimitBytes).toBeGreaterThan(0);
  expect(memoryLimitBytes).toBeLessThanOrEqual(memoryBytes);
  expect(cores).toBeGreaterThan(0);
});
