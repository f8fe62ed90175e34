import { once } from 'node:events';
import { createServer } from 'node:http';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { GatewayProcess, type GatewaySetup } from '../support/gateway-process.ts';
import { KeptConnection } from '../support/kept-connection.ts';
import { rawRequest } from '../support/raw-request.ts';
import { ScriptedOrigin } from '../support/scripted-origin.ts';
import { describingContent } from '../support/self-describing.ts';
import { StandInStore } from '../support/stand-in-store.ts';
import { turnsUntil } from '../support/turns-until.ts';

const anyone = (keys = ['**']) => ({ access: 'public', anonymous: [{ actions: ['GetObject'], keys }] });

const running: { stop?(): Promise<unknown>; close?(): unknown }[] = [];

afterEach(async () => {
  for (const one of running.splice(0).toReversed()) await (one.stop?.() ?? one.close?.());
});

async function startStore(): Promise<StandInStore> {
  const store = await StandInStore.start();
  running.push(store);
  return store;
}

async function startGateway(setup: GatewaySetup): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(setup);
  running.push(gateway);
  return gateway;
}

const setupOf = (port: number, workers: number): GatewaySetup => ({
  ...{ workers, memory: '64MiB' },
  backends: {
    main: { type: 's3', endpoint: `http://127.0.0.1:${port}`, credentials: 'none', keys: 'exact' },
  },
  buckets: { b: { backend: 'main', ...anyone() } },
});

const changed = (path: string) => ({ path, change: 'changed' });

describe.each([1, 2])('a reload with %d workers', workers => {
  it('takes over buckets and grants while kept connections and what is cached stay', async () => {
    const store = await startStore();
    store.put('b', 'k', 'content');
    const setup = setupOf(store.port, workers);
    const gateway = await startGateway(setup);
    const kept = new KeptConnection(gateway.url);
    running.push(kept);
    const get = async (path: string) => {
      const [reply] = await kept.ask([{ path, headers: { host: 'gateway' } }]);
      return [reply?.status, reply?.headers['x-cache']];
    };
    expect(await get('/b/k')).toEqual([200, 'MISS']);
    expect(await get('/copies/k')).toEqual([404, 'BYPASS']);
    gateway.rewrite({
      ...setup,
      buckets: { b: setup.buckets.b ?? {}, copies: { backend: 'main', bucket: 'b', ...anyone() } },
    });
    expect(await gateway.reload()).toEqual({
      status: 200,
      said: { changed: [{ path: 'buckets.copies', change: 'added' }], needsRestart: [], warnings: [] },
    });
    expect(await get('/b/k')).toEqual([200, 'HIT']);
    // it is the same object at the store
    expect(await get('/copies/k')).toEqual([200, 'HIT']);
    gateway.rewrite({ ...setup, buckets: { b: { backend: 'main', ...anyone(['other']) } } });
    expect(await gateway.reload()).toMatchObject({ status: 200 });
    expect(await get('/b/k')).toEqual([403, 'BYPASS']);
    expect(await get('/copies/k')).toEqual([404, 'BYPASS']);
    expect(store.log.requests.length).toBe(1);
  });

  it('that takes rules for cors away brings what a web origin says for each origin', async () => {
    let asked = 0;
    const origin = await ScriptedOrigin.start(({ headers }, response) => {
      asked++;
      const shared = headers.origin ? { 'access-control-allow-origin': headers.origin, vary: 'origin' } : {};
      response.writeHead(200, { 'cache-control': 'max-age=600', ...shared });
      response.end('page');
    });
    running.push(origin);
    const site = (rules: object[]): GatewaySetup => ({
      ...setupOf(0, workers),
      backends: { web: { type: 'http', endpoint: origin.url } },
      buckets: { site: { backend: 'web', access: 'public', rules } },
    });
    const headers = { keys: ['**'], responseHeaders: { set: { 'x-rule': 'yes' } } };
    const gateway = await startGateway(
      site([headers, { keys: ['/a/**'], cors: { allowOrigins: ['https://a.test'] } }]),
    );
    const kept = new KeptConnection(gateway.url);
    running.push(kept);
    const get = async () => {
      const headers = { host: 'gateway', origin: 'https://a.test' };
      const [reply] = await kept.ask([{ path: '/site/a/page', headers }]);
      return ['x-cache', 'access-control-allow-origin', 'x-rule'].map(name => reply?.headers[name] ?? null);
    };
    /** What is said before and after the second read, which may be the first of its worker that asks the other one. */
    const firstAndThird = async () => {
      const [first, , third] = [await get(), await get(), await get()];
      return [first, third];
    };
    expect(await firstAndThird()).toEqual([
      ['MISS', 'https://a.test', 'yes'],
      ['HIT', 'https://a.test', 'yes'],
    ]);
    expect(asked).toBe(1);
    gateway.rewrite(site([]));
    expect(await gateway.reload()).toMatchObject({ status: 200 });
    expect(await firstAndThird()).toEqual([
      ['MISS', 'https://a.test', null],
      ['HIT', 'https://a.test', null],
    ]);
    expect(asked).toBe(2);
  });

  it('answers every request that is sent meanwhile', async () => {
    const store = await startStore();
    for (let key = 0; key < 20; key++) store.put('b', `k${key}`, `content of ${key}`);
    const setup = setupOf(store.port, workers);
    const gateway = await startGateway(setup);
    let isOver = false;
    const read = async (seed: number) => {
      const kept = new KeptConnection(gateway.url);
      running.push(kept);
      const wrong: unknown[] = [];
      let count = 0;
      for (; !isOver || count === 0; count++) {
        const key = (seed + count) % 20;
        const [reply] = await kept.ask([{ path: `/b/k${key}`, headers: { host: 'gateway' } }]);
        if (reply?.status !== 200 || reply.body.toString() !== `content of ${key}`) wrong.push(reply);
      }
      return { wrong, count };
    };
    const readers = Array.from({ length: 4 }, (_, seed) => read(seed));
    for (let round = 1; round <= 10; round++) {
      const cache = { ttl: `${round}s` };
      gateway.rewrite({ ...setup, buckets: { b: { backend: 'main', ...anyone(), cache } } });
      expect(await gateway.reload()).toMatchObject({
        status: 200,
        said: { changed: [changed('buckets.b.cache.ttl')] },
      });
    }
    isOver = true;
    const results = await Promise.all(readers);
    expect(results.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(results.every(({ count }) => count > 1)).toBe(true);
  });

  it('never serves the bytes of the store that a name led to before', async () => {
    const sizeBytes = 4 * 2 ** 20;
    const stores = [await startStore(), await startStore()] as const;
    for (const [version, store] of stores.entries())
      store.put('b', 'k', describingContent({ object: 1, version }, sizeBytes), {
        headers: { etag: '"same"' },
      });
    const gateway = await startGateway(setupOf(stores[0].port, workers));
    const versions = async () => {
      const read = async () => Buffer.from(await (await fetch(`${gateway.url}/b/k`)).arrayBuffer());
      const bodies = await Promise.all(Array.from({ length: 4 }, read));
      return new Set(bodies.flatMap(body => [body.readUInt16BE(1), body.readUInt16BE(sizeBytes - 7)]));
    };
    expect(await versions()).toEqual(new Set([0]));
    for (const version of [1, 0, 1]) {
      gateway.rewrite(setupOf((stores[version] ?? stores[0]).port, workers));
      expect(await gateway.reload()).toMatchObject({
        said: { changed: [changed('backends.main.endpoint')] },
      });
      expect(await versions()).toEqual(new Set([version]));
    }
  });

  it('lets a client read on that began before its grant was taken away', async () => {
    const store = await startStore();
    const content = describingContent({ object: 1, version: 1 }, 8 * 2 ** 20);
    store.put('b', 'k', content);
    const setup = setupOf(store.port, workers);
    const gateway = await startGateway(setup);
    const socket = createConnection(Number(new URL(gateway.url).port), '127.0.0.1');
    running.push({ close: () => socket.destroy() });
    socket.write('GET /b/k HTTP/1.1\r\nhost: gateway\r\nconnection: close\r\n\r\n');
    await once(socket, 'readable');
    gateway.rewrite({ ...setup, buckets: { b: { backend: 'main', ...anyone(['other']) } } });
    expect(await gateway.reload()).toMatchObject({ status: 200 });
    const pieces: Buffer[] = [];
    for await (const piece of socket) pieces.push(piece);
    const reply = Buffer.concat(pieces);
    expect(reply.subarray(reply.indexOf('\r\n\r\n') + 4).length).toBe(8 * 2 ** 20);
    expect((await fetch(`${gateway.url}/b/k`)).status).toBe(403);
  });
});

/** A store that keeps what it is sent, and answers with it. */
async function startWritableStore() {
  const bodies = new Map<string, string>();
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    const path = request.url ?? '';
    if (request.method === 'PUT')
      void text(request).then(body => {
        bodies.set(path, body);
        response.writeHead(200, { etag: `"${body.length}"` }).end();
      });
    else {
      const body = bodies.get(path) ?? '';
      response.writeHead(200, { etag: `"${body.length}"`, 'content-length': body.length });
      response.end(request.method === 'HEAD' ? undefined : body);
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  running.push({ close: () => server.close() });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { bodies, port, asked: () => asked };
}

describe.each([1, 2])('what was cached before a reload with %d workers', workers => {
  const textOf = async (gateway: GatewayProcess) => (await fetch(`${gateway.url}/b/k`)).text();

  it('is not served to those who read with other credentials of the store', async () => {
    const store = await startWritableStore();
    store.bodies.set('/b/k', 'of one');
    const setup = (accessKeyId: string, secretAccessKey = 'secret') => ({
      ...setupOf(store.port, workers),
      backends: {
        main: {
          ...{ type: 's3', endpoint: `http://127.0.0.1:${store.port}`, keys: 'exact' },
          credentials: { accessKeyId, secretAccessKey },
        },
      },
    });
    const gateway = await startGateway(setup('one'));
    expect(await textOf(gateway)).toBe('of one');
    store.bodies.set('/b/k', 'of another');
    gateway.rewrite(setup('one', 'renewed'));
    expect(await gateway.reload()).toMatchObject({ status: 200 });
    expect(await textOf(gateway)).toBe('of one');
    gateway.rewrite(setup('two'));
    expect(await gateway.reload()).toMatchObject({ status: 200 });
    expect(await textOf(gateway)).toBe('of another');
  });

  it('is not served after a write that was under way when the name of the store changed', async () => {
    const store = await startWritableStore();
    store.bodies.set('/b/k', 'old');
    const setup = (host: string) => ({
      ...setupOf(store.port, workers),
      backends: {
        main: { type: 's3', endpoint: `http://${host}:${store.port}`, credentials: 'none', keys: 'exact' },
      },
      buckets: {
        b: {
          ...{ backend: 'main', access: 'public', cache: { ttl: '1h' } },
          anonymous: [{ actions: ['GetObject', 'PutObject'], keys: ['**'] }],
        },
      },
    });
    const gateway = await startGateway(setup('127.0.0.1'));
    const writer = createConnection(Number(new URL(gateway.url).port), '127.0.0.1');
    running.push({ close: () => writer.destroy() });
    writer.write('PUT /b/k HTTP/1.1\r\nhost: gateway\r\ncontent-length: 300000\r\n\r\n');
    writer.write('n'.repeat(200_000));
    await turnsUntil('the store is asked', () => store.asked() === 1);
    gateway.rewrite(setup('localhost'));
    expect(await gateway.reload()).toMatchObject({ status: 200 });
    expect(await textOf(gateway)).toBe('old');
    writer.write('n'.repeat(100_000));
    await once(writer, 'readable');
    expect(store.bodies.get('/b/k')).toBe('n'.repeat(300_000));
    expect(await textOf(gateway)).toBe('n'.repeat(300_000));
    expect(await textOf(gateway)).toBe('n'.repeat(300_000));
  });

  it('is not served when a bucket comes back to where it was: a purge meanwhile did not reach it', async () => {
    const stores = [await startWritableStore(), await startWritableStore()] as const;
    for (const store of stores) store.bodies.set('/b/k', 'old');
    const setup = (backend: string) => ({
      ...setupOf(0, workers),
      backends: Object.fromEntries(
        stores.map(({ port }, index) => [
          `store${index}`,
          { type: 's3', endpoint: `http://127.0.0.1:${port}`, credentials: 'none', keys: 'exact' },
        ]),
      ),
      buckets: { b: { backend, ...anyone(), cache: { ttl: '1h' } } },
    });
    const gateway = await startGateway(setup('store0'));
    expect(await textOf(gateway)).toBe('old');
    gateway.rewrite(setup('store1'));
    await gateway.reload();
    expect(await textOf(gateway)).toBe('old');
    for (const store of stores) store.bodies.set('/b/k', 'newer');
    await gateway.purge('b');
    expect(await textOf(gateway)).toBe('newer');
    gateway.rewrite(setup('store0'));
    await gateway.reload();
    expect(await textOf(gateway)).toBe('newer');
  });
});

it('an empty file is refused: it may be about to be written', async () => {
  const store = await startStore();
  store.put('b', 'k', 'content');
  const setup = setupOf(store.port, 1);
  const gateway = await startGateway(setup);
  gateway.rewrite({ ...setup, backends: {}, buckets: {} });
  const reason = expect.stringContaining('no bucket is configured');
  expect(await gateway.reload()).toEqual({ status: 422, said: { error: 'INVALID_CONFIGURATION', reason } });
  expect((await fetch(`${gateway.url}/b/k`)).status).toBe(200);
});

it('an invalid file changes nothing, and says why in the reply, the log and the metrics', async () => {
  const store = await startStore();
  store.put('b', 'k', 'content');
  const setup = setupOf(store.port, 1);
  const gateway = await startGateway(setup);
  gateway.rewrite({ ...setup, buckets: { b: { backend: 'main', access: 'everybody' } } });
  const reason = expect.stringContaining('buckets.b.access holds "everybody"');
  expect(await gateway.reload()).toEqual({ status: 422, said: { error: 'INVALID_CONFIGURATION', reason } });
  expect((await fetch(`${gateway.url}/b/k`)).status).toBe(200);
  const metrics = await gateway.metrics();
  expect(metrics.total('config_last_reload_successful')).toBe(0);
  expect(metrics.total('config_reloads_total', { outcome: 'refused' })).toBe(1);
  expect(gateway.output).toContain('the configuration was not reloaded: nothing has changed');
  gateway.rewrite(setup);
  expect(await gateway.reload()).toEqual({
    status: 200,
    said: { changed: [], needsRestart: [], warnings: [] },
  });
  expect((await gateway.metrics()).total('config_last_reload_successful')).toBe(1);
});

it('names what needs a restart, leaves it, and takes over the rest', async () => {
  const store = await startStore();
  const setup = setupOf(store.port, 1);
  const gateway = await startGateway(setup);
  gateway.rewrite({
    ...{ ...setup, workers: 2, memory: '128MiB' },
    buckets: { b: { backend: 'main', ...anyone(), cache: { blockSize: '4MiB', ttl: '5s' } } },
  });
  const { status, said } = await gateway.reload();
  expect([status, said]).toEqual([
    200,
    {
      changed: [changed('buckets.b.cache.ttl')],
      needsRestart: expect.arrayContaining([
        changed('workers'),
        changed('cache.memory.size'),
        changed('buckets.b.cache.blockSize'),
      ]),
      warnings: [],
    },
  ]);
});

it('tokens and names of the admin port change at once', async () => {
  const store = await startStore();
  const setup = setupOf(store.port, 1);
  const gateway = await startGateway({ ...setup, admin: { token: 'first', eventsToken: 'events-first' } });
  const ask = async (path: string, token: string, host?: string) => {
    const method = path === '/api/events' ? 'POST' : 'GET';
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = method === 'POST' ? '{"Records":[]}' : '';
    const { status } = await rawRequest(gateway.adminUrl, {
      ...{ method, path, body, headers: { host: host ?? new URL(gateway.adminUrl).host, ...headers } },
    });
    return status;
  };
  const answers = () =>
    Promise.all([
      ...['first', 'second'].map(token => ask('/api/status', token)),
      ...['events-first', 'events-second'].map(token => ask('/api/events', token)),
      ...['first', 'second'].map(token => ask('/api/status', token, 'gateway.example.test')),
    ]);
  expect(await answers()).toEqual([200, 401, 200, 401, 421, 421]);
  const admin = { token: 'second', eventsToken: 'events-second', names: ['gateway.example.test'] };
  gateway.rewrite({ ...setup, admin });
  expect(await gateway.reload('first')).toMatchObject({
    said: {
      changed: expect.arrayContaining(['token', 'eventsToken', 'names'].map(key => changed(`admin.${key}`))),
      needsRestart: [],
    },
  });
  expect(await answers()).toEqual([401, 200, 401, 200, 401, 200]);
  gateway.rewrite(setup);
  expect(await gateway.reload('second')).toMatchObject({
    said: { needsRestart: [{ path: 'admin.token', change: 'removed' }] },
  });
  expect(await ask('/api/status', 'second')).toBe(200);
  expect(await ask('/api/status', '')).toBe(401);
});

it('limits of connections change for those that are opened from then on', async () => {
  const setup = setupOf((await startStore()).port, 1);
  const gateway = await startGateway(setup);
  const open = async () => {
    const socket = createConnection(Number(new URL(gateway.url).port), '127.0.0.1');
    running.push({ close: () => socket.destroy() });
    socket.write('GET /b/k HTTP/1.1\r\nhost: gateway\r\n\r\n');
    const [answer] = await once(socket, 'data');
    return String(answer).slice(9, 12);
  };
  expect([await open(), await open()]).toEqual(['403', '403']);
  gateway.rewrite({ ...setup, limits: { connectionsPerAddress: 2 } });
  expect(await gateway.reload()).toMatchObject({
    said: { changed: [changed('limits.connectionsPerAddress')] },
  });
  expect(await open()).toBe('503');
  gateway.rewrite({ ...setup, limits: { connectionsPerAddress: 3 } });
  expect(await gateway.reload()).toMatchObject({ status: 200 });
  expect(await open()).toBe('403');
});

it('rates and the largest bodies of buckets change for the next requests', async () => {
  const store = await startStore();
  store.put('b', 'k', Buffer.alloc(48 * 1024));
  const setup = setupOf(store.port, 1);
  const gateway = await startGateway(setup);
  const download = async () => (await (await fetch(`${gateway.url}/b/k`)).arrayBuffer()).byteLength;
  for (let count = 0; count < 4; count++) expect(await download()).toBe(48 * 1024);
  const buckets = {
    b: {
      backend: 'main',
      access: 'public',
      maxBodySize: '1KiB',
      anonymous: [{ actions: ['*', 'PutObject'] }],
    },
  };
  gateway.rewrite({ ...setup, buckets, limits: { ratePerAddress: '64KiB' } });
  expect(await gateway.reload()).toMatchObject({
    said: {
      changed: [
        changed('buckets.b.maxBodySize'),
        changed('buckets.b.anonymous'),
        changed('limits.ratePerAddress'),
      ],
      needsRestart: [],
    },
  });
  const beganMs = performance.now();
  for (let count = 0; count < 3; count++) expect(await download()).toBe(48 * 1024);
  // 64 KiB at once, and a last piece that is not waited for
  expect(performance.now() - beganMs).toBeGreaterThan(900);
  const upload = await fetch(`${gateway.url}/b/k`, { method: 'PUT', body: 'x'.repeat(1025) });
  expect([upload.status, await upload.text()]).toEqual([400, expect.stringContaining('EntityTooLarge')]);
});

it('SIGHUP reloads too', async () => {
  const store = await startStore();
  const setup = setupOf(store.port, 1);
  const gateway = await startGateway(setup);
  gateway.rewrite({ ...setup, buckets: { other: { backend: 'main', ...anyone() } } });
  process.kill(gateway.pid, 'SIGHUP');
  await turnsUntil('it says so', () => gateway.output.includes('the configuration was reloaded'));
  expect((await fetch(`${gateway.url}/b/k`)).headers.get('x-cache')).toBe('BYPASS');
});
