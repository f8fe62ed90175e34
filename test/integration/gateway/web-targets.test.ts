import { once } from 'node:events';
import { connect } from 'node:http2';
import { afterEach, describe, expect, it } from 'vitest';
import { localIdentity } from '../../support/local-identity.ts';
import type { ScriptedOrigin } from '../../support/scripted-origin.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import { startWebGateway, type WebGatewayOptions } from '../../support/web-gateway.ts';

let origin: ScriptedOrigin;
let gateway: TestGateway;

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

const domain = 'cdn.test';
const host = { host: 'web.cdn.test' };

async function start(options: WebGatewayOptions): Promise<void> {
  ({ origin, gateway } = await startWebGateway(() => ({ 'cache-control': 'max-age=60' }), options));
}

/** Nothing was sent to an origin or a store, and no backend is blamed. */
async function expectNoBackendAsked(): Promise<void> {
  expect(origin.asked).toHaveLength(0);
  const families = (await gateway.metrics[0]?.snapshot()) ?? [];
  const failures = families.find(({ name }) => name === 'tidegate_backend_failures_total');
  expect(failures).toMatchObject({ values: [] });
}

const all: WebGatewayOptions = { rules: { pathPrefix: '/docs' } };
const named: WebGatewayOptions = { ...all, name: 'web', domain };

describe.each([
  ['a bucket with all paths', all, {}, 'http://any.test'],
  ['a bucket that is found by its host', named, host, 'http://web.cdn.test'],
])('the server as a whole, at %s', (_, options, headers, absolute) => {
  it.each(['*', absolute])('OPTIONS %s is answered by the gateway with what it allows', async target => {
    await start(options);
    for (const more of [{}, { 'content-length': '0' }]) {
      const answer = await gateway.send('OPTIONS', target, { ...headers, ...more });
      expect([answer.status, answer.headers.allow]).toEqual([
        204,
        'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS',
      ]);
      expect(answer.headers['content-length']).toBeUndefined();
    }
    await expectNoBackendAsked();
  });

  it.each([
    ['GET', '*'],
    ['HEAD', '*'],
    ['POST', '*'],
    ['DELETE', '*'],
    ['OPTIONS', '*?'],
    ['OPTIONS', '*?a=1'],
    ['OPTIONS', '*/a'],
  ])('%s %s is an invalid target', async (method, target) => {
    await start(options);
    const answer = await gateway.send(method, target, headers);
    expect([answer.status, answer.body.toString()]).toEqual([
      400,
      method === 'HEAD' ? '' : '400 Bad Request\n',
    ]);
    await expectNoBackendAsked();
  });

  it('is the gateway for OPTIONS of a path that no more proxies may pass on', async () => {
    await start(options);
    const answer = await gateway.send('OPTIONS', '/a', { ...headers, 'max-forwards': '0' });
    expect([answer.status, answer.headers.allow]).toEqual([
      204,
      'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS',
    ]);
    await expectNoBackendAsked();
  });

  it.each([
    ['OPTIONS', '5', '4'],
    ['OPTIONS', '1', '0'],
    ['OPTIONS', 'x', undefined],
    ['GET', '5', undefined],
  ])('%s with Max-Forwards: %s goes on with %s', async (method, sent, passed) => {
    await start(options);
    await gateway.send(method, '/a', { ...headers, 'max-forwards': sent });
    expect(origin.asked.map(asked => asked.headers['max-forwards'])).toEqual([passed]);
  });

  it('OPTIONS of a path goes to the origin, in absolute form too', async () => {
    await start(options);
    for (const target of ['/', '/*', `${absolute}/`, `${absolute}?`, `${absolute}/a*?*`])
      expect((await gateway.send('OPTIONS', target, headers)).status).toBe(200);
    const paths = ['/docs/', '/docs/*', '/docs/', '/docs/?', '/docs/a*?*'];
    expect(origin.asked.map(({ method, url }) => `${method} ${url}`)).toEqual(
      paths.map(path => `OPTIONS ${path}`),
    );
  });
});

it('OPTIONS * is answered by the gateway over HTTP/2 too', async () => {
  const { tls, caPem: ca } = localIdentity();
  await start({ ...all, listener: 'worker', tls });
  const session = connect(gateway.secureUrl(), { ca });
  const stream = session.request({ ':method': 'OPTIONS', ':path': '*' }, { endStream: true });
  const [head] = await once(stream, 'response');
  session.destroy();
  expect(head).toMatchObject({ ':status': 204 });
  await expectNoBackendAsked();
});

it('OPTIONS of the server at an invalid host is refused', async () => {
  await start(all);
  expect((await gateway.send('OPTIONS', 'http://u@y:80')).status).toBe(400);
  await expectNoBackendAsked();
});

describe('the name of a bucket at a web origin in another spelling', () => {
  it.each([
    ['GET', '/%77eb/a', {}],
    ['HEAD', '/w%65b', {}],
    ['GET', '/we%62/?list-type=2', {}],
    ['PUT', '/%77eb/a', {}],
    ['POST', '/%77eb?delete', {}],
    ['OPTIONS', '/%77eb/a', { origin: 'https://a.test', 'access-control-request-method': 'GET' }],
    ['GET', 'http://any.test/%77eb/a', {}],
    ['GET', '/a', { host: 'web.cdn.test.' }],
  ])('is an invalid target and no bucket of a store: %s %s %j', async (method, target, headers) => {
    await start(named);
    const answer = await gateway.send(method, target, { ...headers });
    expect(answer.status).toBe(400);
    if (method !== 'HEAD') expect(answer.body.toString()).toContain('<Code>InvalidURI</Code>');
    await expectNoBackendAsked();
  });
});

describe('a purge, and whoever looks it up, names a page as it was asked for, or as the gateway does', () => {
  const names = { query: { names: new Set(['a', 'b']), isSorted: true } };
  const website = { index: 'index.html', error: undefined, errorFor: [], redirects: false };
  it.each([
    ['/d/', {}, { website }, ['/d/', '/d/index.html']],
    ['/p?b=1&a=2&z=3', {}, { rules: names }, ['/p?b=1&a=2&z=3', '/p?z=9&a=2&b=1', '/p?a=2&b=1']],
    ['/d/?a=1', {}, { website, rules: names }, ['/d/?a=1&z=2', '/d/index.html?a=1']],
    [
      ...(['/d/?b=1&a=2', { host: 'www.example.test' }] as const),
      { website, rules: { ...names, host: { kind: 'client' } } },
      ['http://www.example.test/d/?b=1&a=2', 'HTTP://WWW.example.test/d/index.html?a=2&b=1'],
    ],
    ['/', { host: 'www.example.test' }, { rules: { host: { kind: 'client' } } }, ['http://www.example.test']],
  ] as const)('%s', async (path, headers, options, keys) => {
    await start(options);
    for (const key of keys) {
      const at = { bucket: '/', key };
      await gateway.get(path, headers);
      expect((await gateway.get(path, headers)).headers['x-cache'], key).toBe('HIT');
      expect(gateway.gateways[0]?.describe(at.bucket, at.key)?.records, key).toHaveLength(1);
      expect(gateway.gateways[0]?.purge({ kind: 'key', ...at }), key).toMatchObject({ objects: 1 });
      expect((await gateway.get(path, headers)).headers['x-cache'], key).not.toBe('HIT');
    }
  });

  it('but for other hosts, and for none', async () => {
    await start({ rules: { host: { kind: 'client' } } });
    await gateway.get('/a', { host: 'www.example.test' });
    for (const key of ['/a', 'http://example.test/a', 'https://www.example.test/a'])
      expect(gateway.gateways[0]?.purge({ kind: 'key', bucket: '/', key })).toMatchObject({ objects: 0 });
    expect((await gateway.get('/a', { host: 'www.example.test' })).headers['x-cache']).toBe('HIT');
  });
});
