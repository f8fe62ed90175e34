import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OriginPool, OriginPools } from '../../../src/backend/origin-pools.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { ask, RawOrigin } from '../../support/raw-origin.ts';

let pools: OriginPools;

const timeouts = { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 };

beforeEach(() => {
  pools = new OriginPools('http:', { connections: 1, timeouts }, 3);
});

afterEach(() => pools.close());

it('keeps the pools of the hosts that were used last, and no more', () => {
  const first = pools.lease('0.test');
  first.release();
  for (let host = 1; host < 100; host++) pools.lease(`${host}.test`).release();
  expect(pools.size).toBe(3);
  const last = pools.lease('99.test').pool;
  expect(pools.lease('99.test').pool).toBe(last);
  expect(pools.lease('0.test').pool).not.toBe(first.pool);
});

it('closes none that is in use', () => {
  const used = [0, 1, 2, 3].map(host => pools.lease(`${host}.test`));
  expect(pools.size).toBe(4);
  for (const [host, { pool, release }] of used.entries()) {
    const again = pools.lease(`${host}.test`);
    expect(again.pool).toBe(pool);
    again.release();
    release();
  }
  pools.lease('next.test');
  expect(pools.size, 'once they are idle').toBe(3);
});

it('closes what is not in use once it is retired, and the rest as soon as it is not', () => {
  const [idle, busy] = [pools.lease('idle.test'), pools.lease('busy.test')];
  idle.release();
  pools.retire();
  expect(pools.size).toBe(1);
  busy.release();
  expect(pools.size).toBe(0);
  const late = pools.lease('late.test');
  expect(late.pool).toBeDefined();
  late.release();
  expect(pools.size).toBe(0);
});

it('a lease that is released twice counts once', () => {
  const one = pools.lease('a.test');
  const other = pools.lease('a.test');
  one.release();
  one.release();
  for (let host = 0; host < 10; host++) pools.lease(`${host}.test`).release();
  expect(pools.lease('a.test').pool).toBe(other.pool);
});

it.each([
  ['a read', 'GET', undefined, 'TIMEOUT'],
  ['a write', 'POST', 20_000, 'ended'],
] as const)('how long an origin may pause in its answer: %s', async (_, method, answerMs, outcome) => {
  const server = createServer((_request, response) => {
    response.write(' ');
    // undici's timers are late by up to a second; a read has to be given up, however long that takes on a busy machine
    if (method === 'POST') setTimeout(() => response.end(), 2_000);
  });
  const pool = new OriginPool(await listenLocally(server), {
    connections: 1,
    timeouts: { connectMs: 20_000, firstByteMs: 20_000, idleMs: 100 },
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  const receiver = { answered: () => undefined, arrived: () => undefined };
  const request = { method, path: '/', headers: [], ...(answerMs && { answerMs }) };
  pool.send(request, { ...receiver, ended: () => resolve('ended'), failed: ({ code }) => resolve(code) });
  expect(await promise).toBe(outcome);
  await pool.close();
  await new Promise(closed => server.close(closed));
});

const wellFormed = { method: 'GET', path: '/', headers: [] };
const malformed = [
  { path: '' },
  { path: '/ ' },
  { path: '/\u0100' },
  { method: 'G T' },
  { headers: ['a', '\n'] },
  { headers: ['a b', 'c'] },
  { headers: ['expect', '100-continue'] },
  { headers: ['content-length', 'x'] },
];

it('a request that undici refuses as malformed costs no connection', async () => {
  const origin = await RawOrigin.start('http', (_path, connection) =>
    connection.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ngood'),
  );
  const pool = origin.pool({ connections: 2 });
  const nothing = { answered: () => undefined, arrived: () => undefined, ended: () => undefined };
  const failures: string[] = [];
  for (const request of malformed)
    pool.send({ ...wellFormed, ...request }, { ...nothing, failed: ({ code }) => failures.push(code) });
  expect(failures).toEqual(malformed.map(() => 'BROKEN'));
  const answers = await Promise.all([1, 2, 3, 4].map(() => ask(pool, '/')));
  expect(answers.map(({ body }) => body.toString())).toEqual(['good', 'good', 'good', 'good']);
  await pool.close();
  await origin.close();
});
