import { expect, it } from 'vitest';
import { NameChanges } from '../../../src/cache/name-changes.ts';
import { allocateSharedMemory } from '../../../src/cache/shared-memory.ts';

it('a change is seen by all threads, of the names of its slot alone', () => {
  const memory = allocateSharedMemory(0, 65_536, 2, { webBuckets: 1 });
  const [here, there] = [new NameChanges(memory), new NameChanges(memory)];
  const last = { keySlot: memory.nameChanges.byteLength / 4 - 1 };
  here.raise(last);
  expect([there.count({ keySlot: 0 }), there.count(last)]).toEqual([0, 1]);
});
