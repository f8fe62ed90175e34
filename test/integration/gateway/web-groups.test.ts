import { afterEach, beforeEach, expect, it } from 'vitest';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const groupsOf: Readonly<Record<string, string>> = {
  '/a': '"one", "two"',
  '/b': '"two"',
  '/c': '"three";x=1',
  '/none': '',
};

let origin: ScriptedOrigin;
let gateway: TestGateway;
/** What answers to POST and the like say. */
let said: { status: number; head: Record<string, string> };

beforeEach(async () => {
  said = { status: 200, head: {} };
  origin = await ScriptedOrigin.start(({ method, url }, response) => {
    const groups = groupsOf[url] ?? '';
    const head = { 'cache-control': 'max-age=3600', ...(groups && { 'cache-groups': groups }) };
    if (method !== 'GET' || url === '/told') response.writeHead(said.status, { ...head, ...said.head }).end();
    else response.writeHead(200, head).end(`answer ${origin.asked.length}`);
  });
  gateway = await TestGateway.start({
    storeUrl: 'http://127.0.0.1:1',
    buckets: {},
    web: { url: origin.url, name: '/', rules: { host: { kind: 'client' } } },
    workers: 2,
    policy: { ttlMs: 0 },
  });
});

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

/** Which of the paths are asked for, when all are read through every worker. */
async function askedAnew(host = 'o.test'): Promise<string[]> {
  const before = origin.asked.length;
  for (const path of Object.keys(groupsOf))
    for (const worker of [0, 1]) await gateway.get(path, { host }, worker);
  return origin.asked.slice(before).map(({ url }) => url);
}

const invalidating = { 'cache-group-invalidation': '"one", "three"' };

it('an answer to a changing request ends what it names of the groups of its origin (RFC 9875 §3)', async () => {
  await askedAnew();
  said.head = invalidating;
  await gateway.send('POST', '/x', { host: 'o.test' }, 1);
  expect(await askedAnew()).toEqual(['/a', '/c']);
  expect(await askedAnew()).toEqual([]);
});

it.each([
  ['to GET', 'GET', '/told', 200, invalidating],
  ['to OPTIONS', 'OPTIONS', '/x', 200, invalidating],
  ['that fails', 'POST', '/x', 500, invalidating],
  ['that is no list of strings', 'POST', '/x', 200, { 'cache-group-invalidation': 'one, "three' }],
] as const)('an answer %s ends nothing', async (_, method, path, status, head) => {
  await askedAnew();
  said = { status, head };
  await gateway.send(method, path, { host: 'o.test' });
  expect(await askedAnew()).toEqual([]);
});

it('groups of another origin are other ones (RFC 9875 §2)', async () => {
  await askedAnew('o.test');
  await askedAnew('other.test');
  said.head = invalidating;
  await gateway.send('POST', '/x', { host: 'other.test' });
  expect(await askedAnew('o.test')).toEqual([]);
  expect(await askedAnew('other.test')).toEqual(['/a', '/c']);
});

it('whoever operates the gateway purges groups of all origins as tags', async () => {
  await askedAnew();
  for (const one of gateway.gateways) one.purge({ kind: 'tag', tag: 'two' });
  expect(await askedAnew()).toEqual(['/a', '/b']);
});

it.each([
  ['hard', 200, '"w"'],
  ['hard', 200, undefined],
  ['soft', 200, '"w"'],
  ['soft', 304, '"v"'],
] as const)(
  'a %s purge of what is held ends the question under way, whose answer of status %d names other groups',
  async (how, status, tag) => {
    const reached = Promise.withResolvers<void>();
    const purged = Promise.withResolvers<void>();
    origin.answer = ({ headers }, response) => {
      const isFirst = origin.asked.length === 1;
      const etag = isFirst ? '"v"' : tag;
      const head = {
        'cache-control': isFirst ? 'max-age=0' : 'max-age=3600',
        'cache-groups': isFirst ? '"one"' : '"two"',
        ...(etag && { etag }),
      };
      if (origin.asked.length !== 2) response.writeHead(200, head).end(`answer ${origin.asked.length}`);
      else {
        expect(headers['if-none-match']).toBe('"v"');
        reached.resolve();
        void purged.promise.then(() =>
          response.writeHead(status, head).end(status === 304 ? '' : 'answer 2'),
        );
      }
    };
    const read = async (worker: number) =>
      (await gateway.get('/page', { host: 'o.test' }, worker)).body.toString();
    await read(0);
    const second = read(0);
    await reached.promise;
    for (const one of gateway.gateways) one.purge({ kind: 'tag', tag: 'one', soft: how === 'soft' });
    purged.resolve();
    expect(await second).toBe(status === 304 ? 'answer 1' : 'answer 2');
    for (const worker of [0, 1]) expect(await read(worker)).toBe('answer 3');
  },
);

it.each(['hard', 'soft'])(
  'a %s purge of a variant ends the question for another one, whose answer names other groups',
  async how => {
    const reached = Promise.withResolvers<void>();
    const purged = Promise.withResolvers<void>();
    origin.answer = ({ headers }, response) => {
      const isGerman = headers['accept-language'] === 'de';
      const head = {
        'cache-control': 'max-age=3600',
        vary: 'Accept-Language',
        'cache-groups': isGerman ? '"two"' : '"one"',
      };
      const answer = () => response.writeHead(200, head).end(`answer ${origin.asked.length}`);
      if (origin.asked.length !== 2) answer();
      else {
        reached.resolve();
        void purged.promise.then(answer);
      }
    };
    const german = async (worker: number) => {
      const fields = { host: 'o.test', 'accept-language': 'de' };
      return (await gateway.get('/page', fields, worker)).body.toString();
    };
    await gateway.get('/page', { host: 'o.test' }, 0);
    const second = german(0);
    await reached.promise;
    for (const one of gateway.gateways) one.purge({ kind: 'tag', tag: 'one', soft: how === 'soft' });
    purged.resolve();
    expect(await second).toBe('answer 2');
    for (const worker of [0, 1]) expect(await german(worker)).toBe('answer 3');
  },
);

it.each([
  ['HEAD', 'HEAD', {}],
  ['whoever has the old version', 'GET', { 'if-none-match': 'W/"1"' }],
  ['GET', 'GET', {}],
] as const)(
  '%s after a group was ended joins no question that was asked before',
  async (_who, method, fields) => {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    let version = 1;
    origin.answer = (asked, response) => {
      if (asked.method === 'POST') {
        version = 2;
        response.writeHead(200, { 'cache-group-invalidation': '"g"' }).end();
        return;
      }
      const etag = `W/"${version}"`;
      response.writeHead(200, { 'cache-control': 'max-age=3600', 'cache-groups': '"g"', etag });
      if (version === 2) response.end(asked.method === 'HEAD' ? undefined : 'answer 2');
      else {
        response.write('answer ');
        begun.resolve();
        void ended.promise.then(() => response.end('1'));
      }
    };
    const before = gateway.get('/page', { host: 'o.test' });
    await begun.promise;
    await expect
      .poll(async () => (await gateway.send('HEAD', '/page', { host: 'o.test' })).headers.etag)
      .toBe('W/"1"');
    await gateway.send('POST', '/x', { host: 'o.test' });
    const { status, headers } = await gateway.send(method, '/page', { host: 'o.test', ...fields });
    expect([status, headers.etag]).toEqual([200, 'W/"2"']);
    ended.resolve();
    expect((await before).body.toString()).toBe('answer 1');
  },
);

it('HEAD after what is held was ended by its group joins no question for it, whatever groups the answer names', async () => {
  const arrived = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let version = 1;
  origin.answer = (asked, response) => {
    const isSecond = origin.asked.length === 2;
    const head = { 'cache-groups': isSecond ? '"other"' : '"g"', etag: `W/"${version}"` };
    const answer = () => response.writeHead(200, { ...head, 'cache-control': 'max-age=0' }).end('answer');
    if (asked.method === 'POST') {
      version = 2;
      response.writeHead(200, { 'cache-group-invalidation': '"g"' }).end();
    } else if (!isSecond) answer();
    else {
      arrived.resolve();
      head.etag = 'W/"1.1"';
      void ended.promise.then(answer);
    }
  };
  await gateway.get('/page', { host: 'o.test' });
  const before = gateway.get('/page', { host: 'o.test' });
  await arrived.promise;
  await gateway.send('POST', '/x', { host: 'o.test' });
  expect((await gateway.send('HEAD', '/page', { host: 'o.test' })).headers.etag).toBe('W/"2"');
  ended.resolve();
  expect((await before).headers.etag).toBe('W/"1.1"');
});

it.each([
  ['HEAD', 200, 'max-age=3600', 'its head'],
  ['GET', 404, 'max-age=0', 'that there was nothing'],
] as const)(
  '%s that joined a question before it named its groups, one of which was ended since, is not told (%i, %s) %s',
  async (method, status, freshness, _what) => {
    const arrived = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    let version = 1;
    origin.answer = (asked, response) => {
      const etag = `W/"${version}"`;
      const head = { 'cache-control': freshness, 'cache-groups': '"g"', etag };
      if (asked.method === 'POST') {
        version = 2;
        response.writeHead(200, { 'cache-group-invalidation': '"g"' }).end();
      } else if (version === 2) response.writeHead(200, head).end();
      else {
        arrived.resolve();
        void ended.promise.then(() => response.writeHead(status, head).end('answer 1'));
      }
    };
    const coalesced = async () => {
      const families = await gateway.metrics[0]?.snapshot();
      return families?.find(({ name }) => name === 'tidegate_coalesced_requests_total')?.values[0]?.value;
    };
    const before = gateway.get('/page', { host: 'o.test' });
    await arrived.promise;
    await gateway.send('POST', '/x', { host: 'o.test' });
    const after = gateway.send(method, '/page', { host: 'o.test' });
    await expect.poll(coalesced).toBe(1);
    ended.resolve();
    expect(await after).toMatchObject({ status: 200, headers: { etag: 'W/"2"' } });
    expect((await before).body.toString()).toBe('answer 1');
  },
);
