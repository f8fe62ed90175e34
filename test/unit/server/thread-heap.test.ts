import { execFileSync } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { heapFlags, threadHeap } from '../../../src/server/thread-heap.ts';

const mebibyte = 1024 * 1024;

/** What `code` tells in a new thread. */
async function toldBy(code: string): Promise<unknown> {
  const worker = new Worker(`${spaces}${code}`, { eval: true, resourceLimits: threadHeap() });
  const told = await new Promise(resolve => worker.once('message', resolve));
  await worker.terminate();
  return told;
}

const spaces = `
  const { getHeapSpaceStatistics } = require('node:v8');
  const { parentPort } = require('node:worker_threads');
  const space = name => getHeapSpaceStatistics().find(({ space_name }) => space_name === name);
`;

describe('the heap of a thread', () => {
  it('is collected as flags say that this version of V8 knows', () => {
    const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
    for (const flag of heapFlags) {
      const [, name = ''] = /^--(?:no-)?([a-z-]+)/.exec(flag) ?? [];
      expect(known, flag).toContain(`--${name} `);
    }
  });

  it('has a young generation that is large from the start', async () => {
    const roomBytes = await toldBy(`
      const { space_used_size, space_available_size } = space('new_space');
      parentPort.postMessage(space_used_size + space_available_size);
    `);
    expect(roomBytes).toBeGreaterThan(7 * mebibyte);
  });

  it('makes nothing old at once because others that were made there have lived long', async () => {
    const grownBytes = await toldBy(`
      const make = index => [{ index }];
      let kept = [];
      for (let index = 0; index < 1_000_000; index++) kept.push(make(index));
      kept = undefined;
      const before = space('old_space').space_used_size;
      let mostBytes = 0;
      let last;
      for (let index = 0; index < 1_000_000; index++) {
        last = make(index);
        if (index % 1_000 === 0) mostBytes = Math.max(mostBytes, space('old_space').space_used_size - before);
      }
      parentPort.postMessage(mostBytes);
    `);
    // 88 MiB of the second million otherwise
    expect(grownBytes).toBeLessThan(32 * mebibyte);
  });
});
