import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { GRANULE_BYTES } from '../../src/cache/granules.ts';
import { allocateSharedMemory, releaseWorker } from '../../src/cache/shared-memory.ts';
import { SlotPins } from '../../src/cache/slot-pins.ts';
import { allocateStress, type Counted, Counts, type StressMemory } from './shared-tables.ts';
import type { StressStart } from './stress-thread.ts';

const seconds = Number(process.env.TIDEGATE_STRESS_SECONDS ?? 180);

/** More threads than a small machine has cores: the system then interrupts them anywhere. */
const READERS = 4;
const PAGES = 16;
const GRANULES_PER_PAGE = 16;
const KILL_INTERVAL_MS = 500;

const program = new URL('stress-thread.ts', import.meta.url);

function start(memory: StressMemory, role: StressStart['role'], worker: number): Worker {
  const workerData: StressStart = { memory, role, worker };
  return new Worker(program, { workerData });
}

it('laws 2 and 5: what a thread has pinned is the content it looked for, not purged, whatever others replace, evict, move and purge, and who dies meanwhile', {
  timeout: (seconds + 60) * 1_000,
}, async () => {
  const pageBytes = GRANULES_PER_PAGE * GRANULE_BYTES;
  const purger = 1 + READERS;
  const product = allocateSharedMemory(PAGES * pageBytes * (2 + READERS), pageBytes, 2 + READERS);
  const memory = allocateStress(product);
  const readers = Array.from({ length: READERS }, (_, index) => 1 + index);
  const total = (what: Counted) =>
    readers.reduce((sum, worker) => sum + new Counts(memory, worker).get(what), 0);
  const threads = [0, ...readers].map(worker => start(memory, worker === 0 ? 'owner' : 'reader', worker));
  const purging = start(memory, 'purger', purger);
  const endMs = performance.now() + seconds * 1_000;
  let kills = 0;
  while (performance.now() < endMs && total('torn') + total('stale') === 0) {
    await wait(KILL_INTERVAL_MS);
    const victim = kills++ % threads.length;
    await threads[victim]?.terminate();
    releaseWorker(product, victim);
    threads[victim] = start(memory, victim === 0 ? 'owner' : 'reader', victim);
  }
  const ended = [...threads, purging].map(thread => once(thread, 'exit'));
  Atomics.store(new Int32Array(memory.stop), 0, 1);
  Atomics.notify(new Int32Array(memory.stop), 0);
  await Promise.all(ended);
  const [contents = 0, moves = 0, changes = 0, alone = 0] = new Int32Array(memory.owned);
  const found = {
    ...{ lookups: total('lookups'), told: total('told') },
    ...{ pinned: total('pinned'), refused: total('refused') },
  };
  process.stdout.write(`${JSON.stringify({ ...found, contents, moves, changes, alone, kills })}\n`);
  expect({ torn: total('torn'), stale: total('stale') }).toEqual({ torn: 0, stale: 0 });
  // the threads have met: contents were pinned in time and too late, had to move, and were told of anew
  for (const count of [found.told, found.pinned, found.refused, contents, moves, changes, alone])
    expect(count).toBeGreaterThan(10 * seconds);
  const workers = [0, ...readers].map(worker => new SlotPins(product, worker));
  expect(workers.map(({ heldSlots }) => heldSlots)).toEqual(workers.map(() => 0));
  expect(workers[0]?.isAnyHeld(0, PAGES * GRANULES_PER_PAGE)).toBe(false);
});
