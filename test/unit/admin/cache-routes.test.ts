import { afterEach, expect, it } from 'vitest';
import type { AdminPort } from '../../../src/admin/admin-port.ts';
import { objectRoutes } from '../../../src/admin/objects/object-routes.ts';
import { type PurgeOutcome, type PurgeRequest, purgeRoute } from '../../../src/admin/purge-route.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { startAdminServer } from '../../support/admin-server.ts';
import { askAdmin } from '../../support/ask-admin.ts';

let server: AdminPort | undefined;

afterEach(async () => {
  await server?.close();
});

/** The two routes over a cache that answers `outcome`; `asked` is what it was asked to purge. */
async function start(outcome: PurgeOutcome = { kind: 'purged', objects: 2, bytes: 30 }) {
  const asked: PurgeRequest[] = [];
  server = await startAdminServer({
    host: '127.0.0.1',
    port: 0,
    names: [],
    token: undefined,
    logger: silentLogger(),
    routes: [
      purgeRoute(async request => {
        asked.push(request);
        return outcome;
      }),
      ...objectRoutes(
        async (bucket, key) => (bucket === 'photos' ? { bucket, key, records: [] } : undefined),
        [],
      ),
    ],
  });
  const { port } = server;
  const purge = (body: unknown) =>
    askAdmin(port, '/api/purge', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { port, asked, purge };
}

it.each([
  [
    { bucket: 'b', key: 'k' },
    { kind: 'object', bucket: 'b', key: 'k', soft: false },
  ],
  [
    { bucket: 'b', prefix: 'p/' },
    { kind: 'prefix', bucket: 'b', prefix: 'p/', soft: false },
  ],
  [
    { bucket: 'b', soft: true },
    { kind: 'bucket', bucket: 'b', soft: true },
  ],
  [{ tag: 't' }, { kind: 'tag', tag: 't', soft: false }],
])('takes %j', async (body, request) => {
  const { purge, asked } = await start();
  expect(await purge(body)).toMatchObject({ status: 200, text: '{"objects":2,"bytes":30}\n' });
  expect(asked).toEqual([request]);
});

it.each([
  [{}, 'must be {"bucket","key"}'],
  [{ bucket: '' }, 'bucket: a text that is not empty'],
  [{ bucket: 'b', key: 'k', prefix: 'p' }, 'must be {"bucket","key"}'],
  [{ bucket: 'b', key: 5 }, 'key: a text'],
  [{ bucket: 'b', tag: 't' }, 'must be {"bucket","key"}'],
  [{ bucket: 'b', recursive: true }, 'must be {"bucket","key"}'],
  [JSON.parse('{"bucket":"b","__proto__":{"key":"k"}}'), '__proto__: unknown key'],
  [{ bucket: 'b', constructor: 'k' }, 'must be {"bucket","key"}'],
  [[], 'must be {"bucket","key"}'],
  ['b', 'must be {"bucket","key"}'],
])('refuses %j, says why and purges nothing', async (body, reason) => {
  const { purge, asked } = await start();
  const answer = await purge(body);
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text).reason).toContain(reason);
  expect(asked).toEqual([]);
});

it.each([
  [{ kind: 'pending' }, 200, { counted: 'pending' }],
  [{ kind: 'unknown-bucket' }, 404, { error: 'UNKNOWN_BUCKET' }],
  [{ kind: 'alias', problem: 'it has an empty segment' }, 400, { error: 'KEY_MAY_MEAN_ANOTHER' }],
] as const)('answers the outcome %j with %i', async (outcome, status, body) => {
  const { purge } = await start(outcome);
  const answer = await purge({ bucket: 'b' });
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text)).toMatchObject(body);
});

it('tells what is held of an object, whatever its key looks like', async () => {
  const { port } = await start();
  const query = new URLSearchParams({ bucket: 'photos', key: 'a b+c?d=e&f/ü' });
  const answer = await askAdmin(port, `/api/object?${query}`);
  expect(JSON.parse(answer.text)).toEqual({ bucket: 'photos', key: 'a b+c?d=e&f/ü', records: [] });
});

it.each([
  ['/api/object?bucket=photos', 400],
  ['/api/object?key=k', 400],
  ['/api/object?bucket=nope&key=k', 404],
])('answers %s with %i', async (path, status) => {
  const { port } = await start();
  expect((await askAdmin(port, path)).status).toBe(status);
});
