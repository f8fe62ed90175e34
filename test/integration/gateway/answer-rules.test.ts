import { once } from 'node:events';
import { connect } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileRules, type Rule } from '../../../src/gateway/request/key-rules.ts';
import { localIdentity } from '../../support/local-identity.ts';
import { ScriptedOrigin } from '../../support/scripted-origin.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { defaultPolicy } from '../../support/worker-gateway.ts';

let store: StandInStore;
let origin: ScriptedOrigin;
let gateway: TestGateway;

const objectFields = {
  ...{ 'content-type': 'text/plain', 'x-amz-meta-owner': 'somebody', 'x-amz-meta-kept': 'yes' },
  ...{ 'access-control-allow-origin': 'https://store.test', vary: 'Accept-Encoding' },
};

beforeEach(async () => {
  store = await StandInStore.start();
  store.put('b', 'k', 'held', { headers: objectFields });
  origin = await ScriptedOrigin.start(({ url, headers }, response) => {
    const head = { ...objectFields, 'cache-control': 'max-age=60', etag: '"1"', server: 'origin' };
    const isSame = headers['if-none-match'] === '"1"';
    // a web origin judges this itself
    const isOther = (headers['if-match'] ?? '"1"') !== '"1"';
    response.writeHead(isSame ? 304 : isOther ? 412 : url === '/k' ? 200 : 404, head);
    response.end(isSame ? '' : 'held');
  });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
  await origin.close();
});

async function start(rule: Omit<Rule, 'keys'>, options: Partial<TestGatewayOptions> = {}): Promise<void> {
  const keyRules = [{ keys: ['**', '!plain', '!/plain'], ...rule }];
  gateway = await TestGateway.start({ storeUrl: store.url, web: { url: origin.url }, keyRules, ...options });
}

const changes = {
  set: { 'x-frame-options': 'DENY', 'content-type': 'text/css', 'cache-control': 'no-transform' },
  add: { link: '</a>; rel=preload' },
  remove: ['x-amz-meta-owner', 'server'],
};

describe.each([
  ['a store', '/b', () => store.log.requests],
  ['a web origin', '/web', () => origin.asked],
])('of %s', (_, root, asked) => {
  it('fields are set, added and removed in answers from the store and from the cache, in parts and to HEAD', async () => {
    await start({ responseHeaders: changes });
    const answers = [
      ['MISS', 200, await gateway.get(`${root}/k`)],
      ['HIT', 200, await gateway.get(`${root}/k`)],
      ['HIT', 206, await gateway.get(`${root}/k`, { range: 'bytes=0-1' })],
      ['HIT', 200, await gateway.head(`${root}/k`)],
    ] as const;
    for (const [result, status, { headers, ...answer }] of answers) {
      expect([answer.status, headers['x-cache']]).toEqual([status, result]);
      expect(headers).toMatchObject({ ...changes.set, ...changes.add, 'x-amz-meta-kept': 'yes' });
      for (const name of changes.remove) expect(headers, `${result} ${status}`).not.toHaveProperty(name);
    }
    expect(asked()).toHaveLength(1);
  });

  it('they are in a 304 as far as that has such fields, and in refusals', async () => {
    await start({ responseHeaders: changes });
    const { headers } = await gateway.get(`${root}/k`);
    const same = await gateway.get(`${root}/k`, { 'if-none-match': String(headers.etag) });
    expect(same.status).toBe(304);
    expect(same.headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-transform' });
    expect(same.headers).not.toHaveProperty('content-type');
    for (const asked of [{}, { 'if-match': '"other"' }]) {
      const refused = await gateway.get(`${root}/missing`, asked);
      expect(refused.status).toBeGreaterThan(400);
      expect(refused.headers).toMatchObject({ 'x-frame-options': 'DENY', link: '</a>; rel=preload' });
      // how long an error is fresh is not said by a rule about contents
      expect(refused.headers['cache-control']).toBe(root === '/web' ? 'max-age=60' : undefined);
    }
  });

  it('for how long what is no read is fresh is not said by them', async () => {
    await start({
      responseHeaders: { set: { 'cache-control': 'public, max-age=31536000' }, add: {}, remove: [] },
    });
    const { headers } = await gateway.get(`${root}/k`);
    expect(headers['cache-control']).toBe('public, max-age=31536000');
    const [method, path] = root === '/b' ? ['GET', '/b/k?tagging'] : ['OPTIONS', '/web/k'];
    const answer = await gateway.send(method ?? '', path);
    expect([answer.status, answer.headers['cache-control']?.includes('31536000') ?? false]).toEqual([
      200,
      false,
    ]);
  });

  it('other keys are left as they are', async () => {
    await start({ responseHeaders: changes });
    for (let times = 0; times < 2; times++)
      expect((await gateway.get(`${root}/plain`)).headers).not.toHaveProperty('x-frame-options');
  });

  it('they are in answers over HTTP/2', async () => {
    const { tls, caPem: ca } = localIdentity();
    await start({ responseHeaders: changes }, { listener: 'worker', tls });
    await gateway.get(`${root}/k`);
    const session = connect(gateway.secureUrl(), { ca });
    const stream = session.request({ ':path': `${root}/k` });
    const [head] = await once(stream, 'response');
    session.destroy();
    expect(head).toMatchObject({ ':status': 200, 'x-cache': 'HIT', ...changes.set, ...changes.add });
    expect(head).not.toHaveProperty('x-amz-meta-owner');
  });

  const cors = {
    ...{ allowOrigins: ['https://app.test', 'https://*.site.test'], allowMethods: ['GET', 'PUT'] },
    ...{ allowHeaders: ['x-amz-date', 'content-type'], exposeHeaders: ['ETag'], maxAgeMs: 600_000 },
    allowCredentials: true,
  };
  const app = { origin: 'https://app.test' };

  it('CORS: one answer is held for all origins, and each is told whether its pages may read it', async () => {
    await start({ cors });
    const first = await gateway.get(`${root}/k`, app);
    const again = await gateway.get(`${root}/k`, { origin: 'https://a.site.test' });
    const other = await gateway.get(`${root}/k`, { origin: 'https://evil.test' });
    const none = await gateway.get(`${root}/k`);
    expect(asked().map(({ method, headers }) => [method, headers.origin])).toEqual([['GET', undefined]]);
    expect(first.headers).toMatchObject({
      ...{ 'access-control-allow-origin': 'https://app.test', 'access-control-expose-headers': 'ETag' },
      ...{ 'access-control-allow-credentials': 'true', vary: 'Origin, Accept-Encoding', 'x-cache': 'MISS' },
    });
    expect(again.headers).toMatchObject({
      ...{ 'access-control-allow-origin': 'https://a.site.test', 'x-cache': 'HIT' },
    });
    for (const { headers } of [other, none]) {
      expect(headers).toMatchObject({ vary: 'Origin, Accept-Encoding', 'x-cache': 'HIT' });
      expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('CORS: parts, 304 and refusals have its fields too', async () => {
    await start({ cors });
    const { etag } = (await gateway.get(`${root}/k`)).headers;
    const answers = [
      await gateway.get(`${root}/k`, { ...app, range: 'bytes=1-2' }),
      await gateway.get(`${root}/k`, { ...app, 'if-none-match': String(etag) }),
      await gateway.get(`${root}/missing`, app),
      await gateway.get(`${root}/k`, { ...app, 'if-match': '"other"' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([206, 304, 404, 412]);
    for (const { headers } of answers) {
      expect(headers['access-control-allow-origin']).toBe('https://app.test');
      expect(headers.vary).toContain('Origin');
    }
  });

  it('CORS: where all may read, all are told so, with Origin or not, and no cache has to tell origins apart', async () => {
    await start({ cors: { ...cors, allowOrigins: ['*'], allowCredentials: false } });
    for (const headers of [{}, {}, app]) {
      const answer = await gateway.get(`${root}/k`, headers);
      expect(answer.headers).toMatchObject({ 'access-control-allow-origin': '*', vary: 'Accept-Encoding' });
    }
    expect(asked()).toHaveLength(1);
  });

  const preflight = (more: Record<string, string> = {}) =>
    gateway.send('OPTIONS', `${root}/k`, { ...app, 'access-control-request-method': 'PUT', ...more });

  it('CORS: a preflight is answered without the store', async () => {
    await start({ cors });
    const answer = await preflight({ 'access-control-request-headers': 'X-Amz-Date, content-type' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.test',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, PUT',
      'access-control-allow-headers': 'x-amz-date, content-type',
      'access-control-max-age': '600',
      'cache-status': 'tidegate; detail=preflight',
      'content-length': '0',
      vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
    });
    expect(asked()).toEqual([]);
  });

  it.each([
    ['another origin', { origin: 'https://evil.test' }],
    ['another method', { 'access-control-request-method': 'DELETE' }],
    ['another header', { 'access-control-request-headers': 'content-type, x-other' }],
    ['what is no list of names', { 'access-control-request-headers': 'content type' }],
  ])('CORS: a preflight is refused for %s', async (_, more) => {
    await start({ cors });
    const answer = await preflight(more);
    expect(answer.status).toBe(403);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(answer.headers.vary).toContain('Origin');
    expect(asked()).toEqual([]);
  });

  it('CORS: a preflight for a key without such a rule goes on to the store', async () => {
    await start({ cors });
    await gateway.send('OPTIONS', `${root}/plain`, { ...app, 'access-control-request-method': 'PUT' });
    expect(asked().map(({ method }) => method)).toEqual(['OPTIONS']);
  });

  it('CORS: methods that are not allowed are told of no origin', async () => {
    await start({ cors });
    const answer = await gateway.send('DELETE', `${root}/k`, app);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

it('rules widen no grant: what may not be read is refused, with the fields of the rule', async () => {
  await start({ responseHeaders: changes }, { allows: () => false });
  const answer = await gateway.get('/b/k');
  expect(answer.status).toBe(403);
  expect(answer.headers).toMatchObject({ 'x-frame-options': 'DENY' });
});

it('an upload from a page of another origin is told so too', async () => {
  const cors = {
    allowOrigins: ['https://app.test'],
    allowMethods: ['PUT'],
    allowHeaders: [],
    exposeHeaders: [],
  };
  await start({ cors: { ...cors, allowCredentials: false } });
  const answer = await gateway.send('PUT', '/b/new', { origin: 'https://app.test', 'content-length': '0' });
  expect(answer.headers['access-control-allow-origin']).toBe('https://app.test');
  expect(store.log.requests.at(-1)?.headers).not.toHaveProperty('origin');
});

it('buckets with the same objects have their own rules', async () => {
  const rulesOf = (value: string) => {
    const responseHeaders = { set: { 'x-bucket': value }, add: {}, remove: [] };
    return compileRules({ cache: defaultPolicy, rules: [{ keys: ['**'], responseHeaders }] });
  };
  const buckets = {
    one: { bucketAtStore: 'b', rulesFor: rulesOf('one') },
    two: { bucketAtStore: 'b', rulesFor: rulesOf('two') },
    three: { bucketAtStore: 'b' },
  };
  gateway = await TestGateway.start({ storeUrl: store.url, buckets });
  for (let times = 0; times < 2; times++) {
    const answers = await Promise.all(['one', 'two', 'three'].map(name => gateway.get(`/${name}/k`)));
    expect(answers.map(({ headers }) => headers['x-bucket'])).toEqual(['one', 'two', undefined]);
  }
  expect(store.log.requests).toHaveLength(1);
});

const forPages = {
  ...{ allowMethods: ['GET'], allowHeaders: [], exposeHeaders: [], allowCredentials: false },
};

it('a document of a folder has the rules of its own key, each time', async () => {
  const website = { index: 'index.html', redirects: true, error: undefined, errorFor: [] };
  const keyRules = [
    { keys: ['**.html'], responseHeaders: { set: { 'x-rule': 'document' }, add: {}, remove: [] } },
    { keys: ['**'], responseHeaders: { set: { 'x-rule': 'other' }, add: {}, remove: [] } },
    { keys: ['**', '!**.html'], cors: { ...forPages, allowOrigins: ['*'] } },
  ];
  gateway = await TestGateway.start({ storeUrl: store.url, keyRules, buckets: { b: { website } } });
  store.put('b', 'folder/index.html', 'page');
  for (let times = 0; times < 3; times++) {
    const { headers } = await gateway.get('/b/folder/');
    expect(headers).toMatchObject({ 'x-rule': 'document' });
    expect(headers['access-control-allow-origin']).not.toBe('*');
  }
  expect((await gateway.get('/b/k')).headers).toMatchObject({ 'x-rule': 'other' });
});
