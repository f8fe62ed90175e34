/**
 * Imported into each thread of a gateway that is measured: a worker writes its longest pauses of each quarter of a second to
 * `pauses` in the working directory. What other processes take of the core counts among them; what the collector took does not.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
import { PAUSES_FILE, type Pauses, WATCH_MS } from './pauses.ts';

const PERIOD_MS = 250;

if (!isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: WATCH_MS });
  delays.enable();
  let collectionMs = 0;
  const observer = new PerformanceObserver(list => {
    for (const { duration } of list.getEntries()) collectionMs = Math.max(collectionMs, duration);
  });
  observer.observe({ entryTypes: ['gc'] });
  const write = () => {
    const pauseMs = Math.max(0, delays.max / 1_000_000 - WATCH_MS);
    const pauses: Pauses = { untilMs: Date.now(), pauseMs, collectionMs };
    appendFileSync(PAUSES_FILE, `${JSON.stringify(pauses)}\n`);
    delays.reset();
    collectionMs = 0;
  };
  setInterval(write, PERIOD_MS).unref();
}
