import { afterEach, expect, it } from 'vitest';
import type { AdminPort } from '../../../src/admin/admin-port.ts';
import { type WarmRequest, warmRoute } from '../../../src/admin/warm-route.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { startAdminServer } from '../../support/admin-server.ts';
import { askAdmin } from '../../support/ask-admin.ts';

let server: AdminPort | undefined;

afterEach(async () => {
  await server?.close();
});

async function start(lines: AsyncIterable<object> | undefined, token?: string) {
  const asked: WarmRequest[] = [];
  server = await startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token, logger: silentLogger() },
    routes: [
      warmRoute((request, signal) => {
        asked.push(request);
        signals.push(signal);
        return lines;
      }),
    ],
  });
  const signals: AbortSignal[] = [];
  const { port } = server;
  const headers = { 'content-type': 'application/json' };
  const warm = (body: unknown) =>
    askAdmin(port, '/api/warm', { method: 'POST', headers, body: JSON.stringify(body) });
  return { asked, warm, port, signals };
}

async function* two() {
  yield { keys: 1 };
  yield { keys: 2, complete: true };
}

it('answers with lines of JSON', async () => {
  const { warm, asked } = await start(two());
  const answer = await warm({ bucket: 'b', prefix: '', rate: 2.5 });
  expect([answer.status, answer.text]).toEqual([200, '{"keys":1}\n{"keys":2,"complete":true}\n']);
  expect(asked).toEqual([{ bucket: 'b', what: { prefix: '' }, from: undefined, concurrency: 4, rate: 2.5 }]);
});

it.each([
  [{ bucket: 'b' }, 'must be {"bucket","keys":[…]}'],
  [{ bucket: 'b', keys: ['k'], prefix: 'p' }, 'must be {"bucket","keys":[…]}'],
  [{ bucket: 'b', keys: [] }, 'keys: a list of 1 to 1000 keys'],
  [{ bucket: 'b', keys: Array(1_001).fill('k') }, 'keys: a list of 1 to 1000 keys'],
  [{ bucket: 'b', keys: [''] }, 'keys.0: a text that is not empty'],
  [{ bucket: 'b', prefix: '', concurrency: 65 }, 'concurrency: a whole number from 1 to 64'],
  [{ bucket: 'b', prefix: '', rate: -1 }, 'rate: a number from 0 to 1000000'],
  [{ keys: ['k'] }, 'bucket: a text'],
])('refuses %j, says why and fetches nothing', async (body, reason) => {
  const { warm, asked } = await start(two());
  const answer = await warm(body);
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text).reason).toContain(reason);
  expect(asked).toEqual([]);
});

it('is refused for an unknown bucket, and without the token', async () => {
  const unknown = await start(undefined);
  expect((await unknown.warm({ bucket: 'b', prefix: '' })).status).toBe(404);
  await server?.close();
  const guarded = await start(two(), 'a token of the operator');
  expect((await guarded.warm({ bucket: 'b', prefix: '' })).status).toBe(401);
  expect(guarded.asked).toEqual([]);
});

it('two run at a time, and each ends when who asked leaves', async () => {
  const waiting = Promise.withResolvers<void>();
  async function* endless() {
    yield { keys: 0 };
    await waiting.promise;
  }
  const lines = { [Symbol.asyncIterator]: endless };
  const { warm, port, signals } = await start(lines);
  const leaving = new AbortController();
  const begun = [0, 1].map(() =>
    fetch(`http://127.0.0.1:${port}/api/warm`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, signal: leaving.signal },
      body: '{"bucket":"b","prefix":""}',
    }),
  );
  await Promise.all(begun);
  expect((await warm({ bucket: 'b', prefix: '' })).status).toBe(429);
  const told = signals
    .slice(0, 2)
    .map(signal => new Promise(resolve => signal.addEventListener('abort', resolve)));
  leaving.abort();
  await Promise.all(told);
  waiting.resolve();
});
