import { expect, it } from 'vitest';
import { Epochs } from '../../../src/cache/epochs.ts';
import { OpenWrites } from '../../../src/cache/open-writes.ts';
import { allocateSharedMemory, EPOCH_SLOTS, releaseWorker } from '../../../src/cache/shared-memory.ts';

const hash = 4_711;

function setup() {
  const memory = allocateSharedMemory(8 * 1024, 1024, 2);
  const epochs = new Epochs(memory);
  return { memory, epochs, writes: new OpenWrites(epochs, memory, 1) };
}

it('what was read before a write began, or before its answer or end, is not current after it', () => {
  const { epochs, writes } = setup();
  const seen = [epochs.current(hash)];
  const write = writes.begin(hash);
  seen.push(epochs.current(hash));
  write.answered();
  seen.push(epochs.current(hash));
  write.over();
  seen.push(epochs.current(hash));
  expect(new Set(seen).size).toBe(4);
  write.over();
  expect(epochs.current(hash)).toBe(seen.at(-1));
});

it('other keys are not concerned', () => {
  const { epochs, writes } = setup();
  writes.begin(hash).over();
  expect(epochs.current(hash + 1)).toBe(0);
});

it('when a worker dies with a write under way, everything counts as changed, once', () => {
  const { memory, epochs, writes } = setup();
  writes.begin(hash).over();
  releaseWorker(memory, 1);
  expect(epochs.current(0)).toBe(0);
  writes.begin(hash);
  releaseWorker(memory, 0);
  expect(epochs.current(0)).toBe(0);
  releaseWorker(memory, 1);
  for (const slot of [0, hash + 1, EPOCH_SLOTS - 1]) expect(epochs.current(slot)).toBe(1);
  releaseWorker(memory, 1);
  expect(epochs.current(0)).toBe(1);
});
