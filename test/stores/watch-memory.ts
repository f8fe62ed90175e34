import { writeFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

/**
 * Loaded into every thread of a gateway under test, which inherits `--import`: writes down the thread's own memory each time
 * that it is more than ever before, see `MemoryKinds`.
 */
const INTERVAL_MS = 50;

let most = 0;

setInterval(() => {
  const { heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
  if (heapTotal + external <= most) return;
  most = heapTotal + external;
  writeFileSync(`memory-${threadId}.json`, JSON.stringify({ heapTotal, heapUsed, external, arrayBuffers }));
}, INTERVAL_MS).unref();
