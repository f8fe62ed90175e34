import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyOf, patternContent } from '../../support/stand-in/content.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  store.put('b', 'k', 'twelve bytes');
  gateway = await TestGateway.start({ storeUrl: store.url });
  await gateway.get('/b/k');
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** What comes back over one connection for `requests`, sent in one piece, of which the last one closes it. */
async function converse(requests: string): Promise<string> {
  const socket = connect(Number(new URL(gateway.url()).port), '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', text => {
    received += text;
  });
  socket.write(requests);
  await once(socket, 'close');
  return received;
}

const statuses = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
const get = (more = '') => `GET /b/k HTTP/1.1\r\nhost: h\r\n${more}\r\n`;
const last = get('connection: close\r\n');

it('answers requests that come before their predecessors are answered, in order', async () => {
  const received = await converse(
    get() + get('range: bytes=0-5\r\n') + get().replace('/k', '/none') + get('if-none-match: *\r\n') + last,
  );
  expect(statuses(received)).toEqual([200, 206, 404, 304, 200]);
});

it('refuses an expectation that it cannot meet in turn, with ids and an XML body, and closes', async () => {
  const received = await converse(get() + get('expect: a-miracle\r\n') + get());
  expect(statuses(received)).toEqual([200, 417]);
  const refusal = received.slice(received.lastIndexOf('HTTP/1.1 '));
  const id = /x-store-request-id: (\S+)/.exec(refusal)?.[1];
  expect(refusal).toContain('<Code>ExpectationFailed</Code>');
  expect(refusal).toContain(`<RequestId>${id}</RequestId>`);
  expect(refusal.toLowerCase()).toContain('\r\nconnection: close\r\n');
});

it('HTTP/1.0 has no expectations', async () => {
  const received = await converse('GET /b/k HTTP/1.0\r\nexpect: a-miracle\r\n\r\n');
  expect(statuses(received)).toEqual([200]);
});

it.each([
  ['of a stated length', 'content-length: 5\r\n', 'hello'],
  ['in chunks', 'transfer-encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'],
  ['longer than any buffer', `content-length: ${mebibyte}\r\n`, 'x'.repeat(mebibyte)],
])('a GET with a body %s does not get in the way of the next request', async (_name, header, body) => {
  expect(statuses(await converse(get(header) + body + get(header) + body + last))).toEqual([200, 200, 200]);
});

it.each([
  ['HTTP/1.0 in chunks', '1.0', 'chunked', 400],
  ['in a coding that nobody here knows', '1.1', 'gzip, chunked', 501],
])(
  'refuses a body of %s, and reads nothing behind it as a request (RFC 9112 §6.1)',
  async (_, version, coding, status) => {
    const head = `GET /b/k HTTP/${version}\r\nhost: h\r\nconnection: keep-alive\r\ntransfer-encoding: ${coding}\r\n\r\n`;
    expect(statuses(await converse(`${head}0\r\n\r\n${get()}`))).toEqual([status]);
  },
);

it('wants a Host of HTTP/1.1, and none of its predecessor (RFC 9112 §3.2)', async () => {
  const without = (version: string) => converse(`GET /b/k HTTP/${version}\r\nconnection: close\r\n\r\n`);
  const refused = await without('1.1');
  expect(statuses(refused)).toEqual([400]);
  expect(refused).toMatch(/<Code>InvalidRequest<\/Code><Message>The request has no Host header\.<\/Message>/);
  expect(statuses(await without('1.0'))).toEqual([200]);
});

describe.each([
  ['cold', 0],
  ['warm', 2],
])('%s', (_, reads) => {
  beforeEach(async () => {
    store.put('b', 'host', 'twelve bytes');
    for (let count = 0; count < reads; count++) await gateway.get('/b/host', { host: 'h' });
  });

  const close = 'connection: close\r\n';
  const ask = (version: string, ...hosts: readonly string[]) =>
    `GET /b/host HTTP/${version}\r\n${hosts.map(host => `host:${host}\r\n`).join('')}`;

  it('refuses a request without Host, also behind one of HTTP/1.0, which needs none', async () => {
    expect(statuses(await converse(`${ask('1.0')}\r\n`))).toEqual([200]);
    expect(statuses(await converse(`${ask('1.1')}${close}\r\n`))).toEqual([400]);
    // several on a connection that is kept
    const kept = `${ask('1.1', 'h')}\r\n${ask('1.1')}\r\n${ask('1.1', 'h')}${close}\r\n`;
    expect(statuses(await converse(kept))).toEqual([200, 400, 200]);
  });

  it.each([
    ['two Host fields', ['h', 'g']],
    ['the same twice', ['h', 'h']],
    ['an empty one behind it', ['h', '']],
    ['a list', ['h, h']],
    ['a path', ['h/b']],
    ['a name and a space', ['h h']],
    ['credentials', ['u@h']],
  ])('refuses %s as Host, in every version', async (_name, hosts) => {
    for (const version of ['1.0', '1.1']) {
      const received = await converse(`${ask(version, ...hosts)}${close}\r\n`);
      expect(statuses(received)).toEqual([400]);
      expect(received).toContain('<Code>InvalidRequest</Code>');
    }
  });

  it.each(['h', 'h:8080', '[::1]:80', '', 'a-b.c_d.test.'])('takes %s for a Host', async host => {
    expect(statuses(await converse(`${ask('1.1', host)}${close}\r\n`))).toEqual([200]);
  });

  it('a target in absolute form needs one Host too, which does not count (RFC 9112 §3.2.2)', async () => {
    const absolute = (...hosts: readonly string[]) =>
      converse(`${ask('1.1', ...hosts).replace('/b/host', 'http://other.test/b/host')}${close}\r\n`);
    expect(statuses(await absolute('h'))).toEqual([200]);
    expect(statuses(await absolute())).toEqual([400]);
    expect(statuses(await absolute('h', 'other.test'))).toEqual([400]);
  });
});

it('a URL of absolute form names the bucket with its own host, whatever Host says, cold and warm', async () => {
  const virtual = await TestGateway.start({
    storeUrl: store.url,
    domain: 's3.test',
    buckets: { b: {}, c: {} },
  });
  store.put('b', 'k', 'content of b');
  store.put('c', 'k', 'content of c');
  const read = (target: string, host: string) =>
    virtual.get(target, { host }).then(({ body }) => String(body));
  for (let round = 0; round < 3; round++) {
    expect(await read('http://c.s3.test/k', 'b.s3.test')).toBe('content of c');
    expect(await read('http://b.s3.test/k', 'c.s3.test')).toBe('content of b');
    expect(await read('/k', 'b.s3.test')).toBe('content of b');
    expect(await read('/k', 'c.s3.test')).toBe('content of c');
  }
  await virtual.close();
});

it('refuses URLs that are too long before anything is looked up, and takes those as long as allowed', async () => {
  const url = (length: number) => `/b/k?x=${'y'.repeat(length - '/b/k?x='.length)}`;
  const asked = store.log.requests.length;
  for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS']) {
    const { status } = await gateway.send(method, url(8_193));
    expect(status).toBe(414);
  }
  const { headers, body } = await gateway.get(url(8_193));
  expect(headers['content-type']).toBe('application/xml');
  expect(String(body)).toMatch(/<Code>URITooLong<\/Code>.*<MaxSizeAllowed>8192<\/MaxSizeAllowed>/);
  expect(store.log.requests).toHaveLength(asked);
  expect((await gateway.get(url(8_192))).status).toBe(200);
});

it('takes URLs as long as it is told', async () => {
  const strict = await TestGateway.start({ storeUrl: store.url, limits: { urlBytes: 10 } });
  expect((await strict.get('/b/k?x=123')).status).toBe(200);
  expect((await strict.get('/b/k?x=1234')).status).toBe(414);
  await strict.close();
});

it('gives nobody a cookie of another, nor what concerns the connection to the store', async () => {
  const headers = {
    'set-cookie': 'session=of-one-reader',
    'alt-svc': 'h3=":443"',
    // MinIO sends this with each answer
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    nel: '{"report_to":"store"}',
    connection: 'x-hop, keep-alive',
    'x-hop': 'of the connection',
    'keep-alive': 'timeout=5',
    'proxy-authenticate': 'Basic',
    upgrade: 'h2c',
    'content-language': 'de',
  };
  const ofTheHost = ['alt-svc', 'strict-transport-security', 'nel'];
  store.put('b', 'fields', 'twelve bytes', { headers });
  for (const expected of ['MISS', 'HIT', 'HIT']) {
    const answer = await gateway.get('/b/fields');
    expect(answer.headers).toMatchObject({ 'x-cache': expected, 'content-language': 'de' });
    for (const name of [...ofTheHost, 'set-cookie', 'x-hop', 'proxy-authenticate', 'upgrade']) {
      expect(answer.headers).not.toHaveProperty(name);
    }
  }
  // given on as it comes, to whom it was sent
  const passed = await gateway.get('/b/fields?tagging');
  for (const name of [...ofTheHost, 'x-hop']) expect(passed.headers).not.toHaveProperty(name);
});

it('tells the time of each answer', async () => {
  const [, date = ''] = /^Date: (.*)\r$/m.exec(await converse(last)) ?? [];
  expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(60_000);
});

it('readers of what is not kept do not see the bytes of others, however slowly these are taken', async () => {
  const contents = [1, 2, 3].map(seed => patternContent(24 * mebibyte, seed));
  for (const [index, content] of contents.entries()) store.put('b', `sealed-${index}`, content);
  const key = Buffer.alloc(32, 7);
  const headers = {
    'x-amz-server-side-encryption-customer-algorithm': 'AES256',
    'x-amz-server-side-encryption-customer-key': key.toString('base64'),
    'x-amz-server-side-encryption-customer-key-md5': createHash('md5').update(key).digest('base64'),
  };
  const asked = contents.map((_, index) => request(`${gateway.url()}/b/sealed-${index}`, { headers }).end());
  const answers: IncomingMessage[] = [];
  // nobody reads before everybody's connection is full
  for (const each of asked) answers.push(...(await once(each, 'response')));
  for (const [index, content] of contents.entries()) {
    const body = Buffer.concat((await answers[index]?.toArray()) ?? []);
    expect(answers[index]?.headers['x-cache']).toBe('BYPASS');
    expect(body.equals(copyOf(content))).toBe(true);
  }
});
