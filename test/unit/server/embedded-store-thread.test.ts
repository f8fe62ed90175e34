import { expect, it } from 'vitest';
import { createLogger, silentLogger } from '../../../src/base/logger.ts';
import { CounterCell } from '../../../src/base/metrics.ts';
import { startStoreThread } from '../../../src/server/embedded-store-thread.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { turnsUntil } from '../../support/turns-until.ts';

it('starts a store on a port of its own and brings it back there when its thread dies', async () => {
  const clock = new ManualClock();
  const died = Promise.withResolvers<void>();
  const restarts = new CounterCell();
  const writeLog = (lines: string) => {
    if (lines.includes('a thread died')) died.resolve();
  };
  const store = await startStoreThread<{ directory: string }, { port: number }>({
    name: 'store-demo',
    entry: new URL('../../fixtures/threads/tiny-store.ts', import.meta.url),
    settings: { directory: './data' },
    clock,
    logger: createLogger({ level: 'info', sink: { write: writeLog, flush: () => undefined } }),
    writeLog,
    restarts,
  });
  const answer = { directory: './data', ...store.credentials };
  expect(store.credentials.secretAccessKey).toHaveLength(40);
  expect(await (await fetch(store.endpoint)).json()).toEqual(answer);

  await fetch(`${store.endpoint}/die`).catch(() => undefined);
  await died.promise;
  clock.advance(100);
  let back: unknown;
  await turnsUntil('the store is back', async () => {
    back = await fetch(store.endpoint).then(
      response => response.json(),
      () => undefined,
    );
    return back !== undefined;
  });
  expect(back).toEqual(answer);
  expect(restarts.value).toBe(1);
  await store.stop(1_000);
  await expect(fetch(store.endpoint)).rejects.toThrow();
});

it('gives up a store that does not become ready, and ends its thread', async () => {
  const clock = new ManualClock();
  const starting = startStoreThread<object, { port: number }>({
    ...{ name: 'store-demo', settings: {}, clock, writeLog: () => undefined, restarts: new CounterCell() },
    entry: new URL('../../fixtures/threads/never-ready.ts', import.meta.url),
    logger: silentLogger(),
  });
  clock.advance(60_000);
  await expect(starting).rejects.toThrow('the thread was not ready within 60 s');
});
