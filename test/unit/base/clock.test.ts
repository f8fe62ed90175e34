import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';

it('elapsed time is the same in all threads', async () => {
  const clock = JSON.stringify(new URL('../../../src/base/clock.ts', import.meta.url).href);
  const tell = `import(${clock}).then(({ systemClock }) =>
    require('node:worker_threads').parentPort.postMessage(systemClock.monotonicMs()))`;
  const beforeMs = systemClock.monotonicMs();
  const thread = new Worker(tell, { eval: true });
  const [there] = await once(thread, 'message');
  const slackMs = 1;
  expect(there).toBeGreaterThan(beforeMs - slackMs);
  expect(there).toBeLessThan(systemClock.monotonicMs() + slackMs);
  await thread.terminate();
});
