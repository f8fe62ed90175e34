import { once } from 'node:events';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { answerUnavailable } from '../../../src/s3/answer-unavailable.ts';
import { answerUnreadable } from '../../../src/s3/answer-unreadable.ts';
import { claimPort } from '../../../src/server/claim-address.ts';
import { FallbackListener } from '../../../src/server/fallback-listener.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const opened: FallbackListener[] = [];

afterEach(() => {
  for (const standIn of opened.splice(0)) standIn.close();
});

async function setup() {
  const port = await claimPort('127.0.0.1', 0);
  const clock = new ManualClock();
  const answer = answerUnavailable(['x-amz-', 'x-store-', 'x-amz-']);
  const standIn = new FallbackListener({
    addresses: () => [{ kind: 'tcp', host: '127.0.0.1', port }],
    ...{ answer, clock, logger: silentLogger() },
    answerUnreadable: (why, nowMs) => answerUnreadable(why, nowMs, { requestId: 'ID', id2: 'ID2' }),
  });
  opened.push(standIn);
  return { port, clock, standIn };
}

/** Everything that a connection gets for `sent`. */
async function talk(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(sent);
  return text(socket);
}

async function ask(port: number, method: string, body = '') {
  const sent = request({ port, host: '127.0.0.1', method, path: '/b/k', agent: false });
  sent.end(body);
  const [response] = await once(sent, 'response');
  return { response, body: await text(response) };
}

const isListening = (port: number) =>
  ask(port, 'GET').then(
    () => true,
    () => false,
  );

it('answers 503 with Retry-After, an XML body and ids in every dialect that is configured, and closes', async () => {
  const { port, standIn } = await setup();
  standIn.open();
  for (const [method, body] of [
    ['GET', ''],
    ['PUT', 'a body that nobody reads'],
  ] as const) {
    const answer = await ask(port, method, body);
    const id = answer.response.headers['x-amz-request-id'];
    expect(answer.response.statusCode).toBe(503);
    expect(answer.response.headers).toMatchObject({
      'retry-after': '1',
      connection: 'close',
      'content-type': 'application/xml',
      'x-store-request-id': id,
    });
    expect(answer.body).toContain('<Code>ServiceUnavailable</Code>');
    expect(answer.body).toContain(`<RequestId>${id}</RequestId>`);
    expect(answer.body).toContain(`<HostId>${answer.response.headers['x-amz-id-2']}</HostId>`);
  }
});

it.each([
  [
    'an expectation that nobody meets',
    'PUT /b/k HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nContent-Length: 1\r\n\r\n',
    503,
  ],
  [
    'an expectation',
    'PUT /b/k HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n',
    503,
  ],
  ['no Host', 'GET /b/k HTTP/1.1\r\n\r\n', 503],
  ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 503],
  ['no HTTP', 'nonsense\r\n\r\n', 400],
  ['endless headers', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
])('answers %s itself, with ids and an XML body', async (_, sent, status) => {
  const { port, standIn } = await setup();
  standIn.open();
  const heard = await talk(port, sent);
  expect(heard).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const id = /x-store-request-id: (\S+)/.exec(heard)?.[1];
  expect(heard).toContain(`<RequestId>${id}</RequestId>`);
  expect(heard.match(/^HTTP/gm)).toHaveLength(1);
});

it('sends no body to a HEAD, and one answer to several requests on a connection', async () => {
  const { port, standIn } = await setup();
  standIn.open();
  const head = await talk(port, 'HEAD /b/k HTTP/1.1\r\nHost: h\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1.1 503 /);
  expect(head.split('\r\n\r\n')[1]).toBe('');
  const many = await talk(port, 'GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(3));
  expect(many.match(/HTTP\/1.1 503/g)).toHaveLength(1);
});

it.each([
  ['an expectation', 'GET /b/k HTTP/1.1\r\nHost: h\r\nExpect: a-miracle\r\n\r\n'],
  ['an expectation about a body', 'PUT /b/k HTTP/1.1\r\nHost: h\r\nExpect: x\r\nContent-Length: 9\r\n\r\n'],
  ['a request', 'GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n'],
])('answers %s whole and nothing behind it', async (_, first) => {
  const { port, standIn } = await setup();
  standIn.open();
  for (const behind of ['GET /b/behind HTTP/1.1\r\nHost: h\r\n\r\n', 'garbage\r\n\r\n']) {
    const heard = await talk(port, first + behind);
    expect(heard.match(/^HTTP\S+ \d+/gm)).toEqual(['HTTP/1.1 503']);
    expect(heard).toMatch(/<\/Error>$/);
  }
});

it('answers what is no request without failing', async () => {
  const { port, standIn } = await setup();
  standIn.open();
  expect(await talk(port, 'garbage\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  expect(await isListening(port)).toBe(true);
});

it('listens no more when it is closed, answers what it has accepted, and can be opened again', async () => {
  const { port, standIn } = await setup();
  standIn.open();
  const early = connect(port, '127.0.0.1');
  await once(early, 'connect');
  standIn.close();
  await expect.poll(() => isListening(port)).toBe(false);
  early.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  expect(await text(early)).toMatch(/^HTTP\/1.1 503 /);
  standIn.open();
  await expect.poll(() => isListening(port)).toBe(true);
});

it('tries again while somebody else has the port', async () => {
  const { port, clock, standIn } = await setup();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  standIn.open();
  other.close();
  await once(other, 'close');
  const answered = async () => {
    clock.advance(20);
    return isListening(port);
  };
  await expect.poll(answered).toBe(true);
});
