import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { TestAuthority } from '../support/certificates.ts';
import { freePort, RealProcess } from '../support/real-process.ts';
import { StandInStore } from '../support/stand-in-store.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;
const authority = new TestAuthority();
const directory = mkdtempSync(join(tmpdir(), 'tidegate-proxies-'));
const log = join(directory, 'access.log');
const socketPath = join(directory, 'gateway.sock');
const file = join(directory, 'gateway.yaml');
const trustedProxies = ['127.0.0.0/8', '10.0.0.0/8', '::1'];
const proxied = { trustedProxies, proxyProtocol: true };
const { cert, key } = authority.issue(['localhost']);
const ports = { none: 0, http: 0, proxy: 0, secure: 0, foreign: 0, admin: 0 };
let gateway: RealProcess;
let store: StandInStore;

beforeAll(async () => {
  store = await StandInStore.start();
  store.put('b', 'k', 'content');
  for (const name of ['none', 'http', 'proxy', 'secure', 'foreign', 'admin'] as const)
    ports[name] = await freePort();
  configure([
    { port: ports.none },
    { port: ports.http, trustedProxies },
    { port: ports.proxy, ...proxied },
    { port: ports.secure, tls: { cert, key }, ...proxied },
    { port: ports.foreign, proxyProtocol: true, trustedProxies: ['192.0.2.0/24'] },
    { path: socketPath, ...proxied },
  ]);
  gateway = new RealProcess(process.execPath, [main, '-c', file], { cwd: directory });
  await gateway.answers(`http://127.0.0.1:${ports.admin}/readyz`);
});

function configure(listen: readonly object[]): void {
  const configuration = {
    listen,
    admin: { port: ports.admin },
    state: { directory: join(directory, 'state') },
    backends: { store: { type: 's3', endpoint: store.url } },
    buckets: { b: { backend: 'store', access: 'public', cache: { ttl: '1h' } } },
    cache: { memory: { size: '32MiB' } },
    log: { access: { file: log } },
  };
  writeFileSync(file, JSON.stringify(configuration));
}

afterAll(async () => {
  await gateway.stop();
  await store.close();
  authority.remove();
  rmSync(directory, { recursive: true, force: true });
});

const request = (url: string, ...fields: string[]) =>
  ['GET /b/k?u=', url, ' HTTP/1.1\r\nhost: h\r\n', ...fields.map(field => `${field}\r\n`)].join('');
const last = (url: string, ...fields: string[]) => `${request(url, ...fields)}connection: close\r\n\r\n`;

/** What the gateway answers before it closes the connection. */
async function answerTo(socket: Socket, ...pieces: readonly (string | Buffer)[]): Promise<string> {
  socket.on('error', () => undefined);
  const answer = text(socket).catch(() => '');
  for (const piece of pieces) {
    if (!socket.writable) break;
    socket.write(piece);
    await new Promise(resolve => setImmediate(resolve));
  }
  return await answer;
}

/** The line of the access log of the request for `url`. */
async function lineOf(url: string): Promise<Record<string, unknown>> {
  const find = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .find(line => line.includes(`u=${url}"`));
  return JSON.parse(await vi.waitUntil(find, { timeout: 30_000 }));
}

const v1 = 'PROXY TCP4 203.0.113.9 10.0.0.1 56324 443\r\n';
const v2 = Buffer.from(
  '0d0a0d0a000d0a515549540a2111000fcb0071090a000001c00100500400 00'.replace(' ', ''),
  'hex',
);

it('the PROXY protocol names the client, in versions 1 and 2, before anything that follows in the same packet', async () => {
  expect(await answerTo(connect(ports.proxy, '127.0.0.1'), `${v1}${last('v1')}`)).toContain('200 OK');
  expect(
    await answerTo(connect(ports.proxy, '127.0.0.1'), Buffer.concat([v2, Buffer.from(last('v2'))])),
  ).toContain('200 OK');
  expect(await lineOf('v1')).toMatchObject({ client: '203.0.113.9', protocol: 'HTTP/1.1' });
  expect(await lineOf('v2')).toMatchObject({ client: '203.0.113.9' });
});

it('the header and the requests after it may come byte by byte', async () => {
  const bytes = [...v2, ...Buffer.from(last('bytes'))].map(byte => Buffer.from([byte]));
  expect(await answerTo(connect(ports.proxy, '127.0.0.1'), ...bytes)).toContain('200 OK');
  expect(await lineOf('bytes')).toMatchObject({ client: '203.0.113.9' });
});

it('a proxy that speaks for itself has its own address', async () => {
  const answer = await answerTo(connect(ports.proxy, '127.0.0.1'), 'PROXY UNKNOWN\r\n', last('unknown'));
  expect(answer).toContain('200 OK');
  expect(await lineOf('unknown')).toMatchObject({ client: '127.0.0.1' });
});

it('the header comes before the TLS handshake, for HTTP/1.1 and HTTP/2, in one packet or several', async () => {
  for (const protocol of ['http/1.1', 'h2'] as const) {
    const plain = connect(ports.secure, '127.0.0.1');
    await once(plain, 'connect');
    plain.write(v2.subarray(0, 5));
    plain.write(v2.subarray(5));
    const secure = connectTls({
      socket: plain,
      ca: authority.caPem,
      servername: 'localhost',
      ALPNProtocols: [protocol],
    });
    await once(secure, 'secureConnect');
    expect(secure.alpnProtocol).toBe(protocol);
    if (protocol === 'http/1.1') {
      expect(await answerTo(secure, last('tls-1'))).toContain('200 OK');
      continue;
    }
    const session = connectHttp2('https://localhost', { createConnection: () => secure });
    for (const [url, fields] of [
      ['tls-2', {}],
      ['tls-2-again', { 'x-forwarded-for': '198.51.100.7' }],
    ] as const) {
      const stream = session.request({ ':path': `/b/k?u=${url}`, ...fields });
      expect(await text(stream.end())).toBe('content');
    }
    session.close();
  }
  expect(await lineOf('tls-1')).toMatchObject({
    client: '203.0.113.9',
    protocol: 'HTTP/1.1',
    tls: 'TLSv1.3',
  });
  expect(await lineOf('tls-2')).toMatchObject({ client: '203.0.113.9', protocol: 'HTTP/2', tls: 'TLSv1.3' });
  // the proxy is trusted, not the client that it names
  expect(await lineOf('tls-2-again')).toMatchObject({ client: '203.0.113.9' });
});

it('the header names the client on a unix socket', async () => {
  expect(await answerTo(connect(socketPath), v1, last('unix'))).toContain('200 OK');
  expect(await lineOf('unix')).toMatchObject({ client: '203.0.113.9' });
});

it('fields count behind a proxy that the header names, if it is trusted too', async () => {
  const chain = 'PROXY TCP4 10.0.0.7 10.0.0.1 1 2\r\n';
  await answerTo(
    connect(ports.proxy, '127.0.0.1'),
    chain,
    last('chain', 'x-forwarded-for: 1.1.1.1, 198.51.100.7'),
  );
  expect(await lineOf('chain')).toMatchObject({ client: '198.51.100.7' });
});

it('a connection without a header, with a wrong one, or of no trusted proxy is closed unanswered, counted and told', async () => {
  expect(await answerTo(connect(ports.proxy, '127.0.0.1'), last('bare'))).toBe('');
  expect(await answerTo(connect(ports.proxy, '127.0.0.1'), v1.replace('TCP4', 'TCP6'), last('wrong'))).toBe(
    '',
  );
  expect(await answerTo(connect(ports.proxy, '127.0.0.1'), `PROXY UNKNOWN ${'x'.repeat(200)}`)).toBe('');
  expect(await answerTo(connect(ports.secure, '127.0.0.1'), Buffer.from('1603010200', 'hex'))).toBe('');
  expect(await answerTo(connect(ports.foreign, '127.0.0.1'), v1, last('foreign'))).toBe('');
  const half = connect(ports.proxy, '127.0.0.1');
  half.end(v1.slice(0, 10));
  expect(await answerTo(half)).toBe('');
  const metrics = await (await fetch(`http://127.0.0.1:${ports.admin}/metrics`)).text();
  for (const [reason, count] of [
    ['malformed', 4],
    ['untrusted', 1],
    ['ended', 1],
  ])
    expect(metrics).toContain(`tidegate_proxy_headers_refused_total{reason="${reason}"} ${count}`);
  await vi.waitUntil(() =>
    gateway.output.includes('closed a connection because of its PROXY protocol header'),
  );
  expect(readFileSync(log, 'utf8')).not.toMatch(/u=(?:bare|wrong|foreign)/);
});

it('fields of a trusted proxy name the client of each request of a connection', async () => {
  const socket = connect(ports.http, '127.0.0.1');
  const first = `${request('kept-1', 'X-Forwarded-For: 203.0.113.1')}\r\n`;
  const second = `${request('kept-2', 'Forwarded: for="[2001:db8::2]:80"')}\r\n`;
  const third = `${request('kept-3')}\r\n`;
  const twice = ['x-forwarded-for: 9.9.9.9', 'x-forwarded-for: 203.0.113.4'];
  await answerTo(socket, first, second, third, last('kept-4', ...twice));
  expect(await lineOf('kept-1')).toMatchObject({ client: '203.0.113.1' });
  expect(await lineOf('kept-2')).toMatchObject({ client: '2001:db8::2' });
  expect(await lineOf('kept-3')).toMatchObject({ client: '127.0.0.1' });
  expect(await lineOf('kept-4')).toMatchObject({ client: '203.0.113.4' });
});

it('fields of anybody else are ignored', async () => {
  await answerTo(
    connect(ports.none, '127.0.0.1'),
    last('spoofed', 'x-forwarded-for: 203.0.113.1', 'forwarded: for=203.0.113.1'),
  );
  expect(await lineOf('spoofed')).toMatchObject({ client: '127.0.0.1' });
  await answerTo(connect(ports.proxy, '127.0.0.1'), v1, last('behind', 'x-forwarded-for: 198.51.100.1'));
  expect(await lineOf('behind')).toMatchObject({ client: '203.0.113.9' });
});

it('a reload changes whom new connections trust, and whether they begin with a header', async () => {
  const kept = connect(ports.http, '127.0.0.1');
  kept.write(`${request('before', 'x-forwarded-for: 203.0.113.1')}\r\n`);
  await once(kept, 'readable');
  configure([
    { port: ports.none, trustedProxies },
    { port: ports.http },
    { port: ports.proxy },
    { port: ports.secure, tls: { cert, key } },
    { port: ports.foreign, ...proxied },
    { path: socketPath, trustedProxies },
  ]);
  const reload = await fetch(`http://127.0.0.1:${ports.admin}/api/reload`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  expect(await reload.json()).toMatchObject({
    changed: [{ path: 'listen', change: 'changed' }],
    needsRestart: [],
  });
  const field = 'x-forwarded-for: 203.0.113.1';
  await answerTo(connect(ports.none, '127.0.0.1'), last('now-trusted', field));
  await answerTo(connect(ports.http, '127.0.0.1'), last('now-ignored', field));
  expect(await answerTo(connect(ports.proxy, '127.0.0.1'), last('now-bare'))).toContain('200 OK');
  await answerTo(connect(ports.foreign, '127.0.0.1'), v1, last('now-named'));
  await answerTo(connect(socketPath), last('now-socket', field));
  await answerTo(kept, last('kept', field));
  expect(await lineOf('now-trusted')).toMatchObject({ client: '203.0.113.1' });
  expect(await lineOf('now-ignored')).toMatchObject({ client: '127.0.0.1' });
  expect(await lineOf('now-named')).toMatchObject({ client: '203.0.113.9' });
  expect(await lineOf('now-socket')).toMatchObject({ client: '203.0.113.1' });
  // a connection goes on as it began
  expect(await lineOf('kept')).toMatchObject({ client: '203.0.113.1' });
});
