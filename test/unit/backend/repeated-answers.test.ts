import { afterEach, expect, it } from 'vitest';
import { ask, RawOrigin } from '../../support/raw-origin.ts';

let origin: RawOrigin | undefined;

afterEach(() => origin?.close());

/** Answers each path with `headOf` it; `/twice` again in place of what is asked next on its connection. */
async function start(headOf: (path: string) => string) {
  const kept = new WeakMap<object, string>();
  const seen: object[] = [];
  origin = await RawOrigin.start('http', (path, connection) => {
    if (!seen.includes(connection)) seen.push(connection);
    const answer = `HTTP/1.1 200 OK\r\n${headOf(path)}content-length: ${path.length}\r\n\r\n${path}`;
    connection.write(kept.get(connection) ?? answer);
    if (path === '/twice') kept.set(connection, answer);
  });
  return { pool: origin.pool({ connections: 1 }), seen };
}

it('an answer that comes a second time is not taken for that to the next request, nor is what comes behind it', async () => {
  let count = 0;
  const { pool, seen } = await start(() => `x-amz-request-id: ${++count}\r\n`);
  expect((await ask(pool, '/first')).body.toString()).toBe('/first');
  expect((await ask(pool, '/twice')).body.toString()).toBe('/twice');
  await expect(ask(pool, '/other')).rejects.toMatchObject({ code: 'BROKEN' });
  expect((await ask(pool, '/third')).body.toString()).toBe('/third');
  expect(seen).toHaveLength(2);
  await pool.close();
});

it.each([
  ['that have no number', () => ''],
  ['that all have one number', () => 'x-amz-request-id: 1\r\n'],
  ['that differ in anything', (path: string) => `x-amz-request-id: 1\r\netag: "${path}"\r\n`],
])('answers %s are what they seem', async (_what, headOf) => {
  const { pool, seen } = await start(headOf);
  for (const path of ['/a', '/b', '/a', '/a']) expect((await ask(pool, path)).body.toString()).toBe(path);
  expect(seen).toHaveLength(1);
  await pool.close();
});

it('an answer that is equal to the one before is right where the same was asked for, and the last on its connection', async () => {
  let count = 0;
  const { pool, seen } = await start(() => `X-Amz-Request-Id: ${++count}\r\n`);
  for (const path of ['/first', '/twice', '/twice', '/other', '/third'])
    expect((await ask(pool, path)).body.toString()).toBe(path);
  expect(seen).toHaveLength(2);
  await pool.close();
});
