import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
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

it.each([
  ['of a stated length', 'content-length: 5\r\n', 'hello'],
  ['in chunks', 'transfer-encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'],
  ['longer than any buffer', `content-length: ${mebibyte}\r\n`, 'x'.repeat(mebibyte)],
])('a GET with a body %s does not get in the way of the next request', async (_name, header, body) => {
  expect(statuses(await converse(get(header) + body + get(header) + body + last))).toEqual([200, 200, 200]);
});

it('wants a Host of HTTP/1.1, and none of its predecessor (RFC 9112 §3.2)', async () => {
  const without = (version: string) => converse(`GET /b/k HTTP/${version}\r\nconnection: close\r\n\r\n`);
  const refused = await without('1.1');
  expect(statuses(refused)).toEqual([400]);
  expect(refused).toMatch(/<Code>InvalidRequest<\/Code><Message>The request has no Host header\.<\/Message>/);
  expect(statuses(await without('1.0'))).toEqual([200]);
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
