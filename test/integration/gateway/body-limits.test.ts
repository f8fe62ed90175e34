import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenLocally } from '../../support/listen-locally.ts';
import { posted } from '../../support/posted-form.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const limitBytes = 100_000;
const largeLimitBytes = 2_000_000;

let store: Server;
let gateway: TestGateway;
let asked: string[];

beforeEach(async () => {
  asked = [];
  store = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().once('end', () => response.end());
  });
  gateway = await TestGateway.start({
    storeUrl: await listenLocally(store),
    listener: 'worker',
    buckets: {
      small: { maxBodySizeBytes: limitBytes },
      larger: { maxBodySizeBytes: largeLimitBytes },
      none: { maxBodySizeBytes: 0 },
    },
  });
});
afterEach(async () => {
  await gateway.close();
  store.close();
});

/** What the gateway answers to a head alone: the body never comes. */
async function answerToHead(line: string, fields: Record<string, string>): Promise<string> {
  const { port, hostname } = new URL(gateway.url());
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  await once(socket, 'connect');
  const lines = Object.entries({ host: 'gateway', ...fields }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${line} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const heard = await text(socket);
  socket.destroy();
  return heard;
}

const tooLarge = (proposed: number, allowed: number) =>
  new RegExp(
    String.raw`^HTTP/1.1 400 [\s\S]*<Code>EntityTooLarge</Code>[\s\S]*<ProposedSize>${proposed}</ProposedSize>` +
      `<MaxSizeAllowed>${allowed}</MaxSizeAllowed>`,
  );

const chunked = (lengthBytes: number) => ({
  'transfer-encoding': 'chunked',
  'content-encoding': 'aws-chunked',
  'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
  'x-amz-decoded-content-length': String(lengthBytes),
  'x-amz-trailer': 'x-amz-checksum-crc32',
});

describe('a body that is larger than its bucket takes is refused before it has come', () => {
  it.each([
    ['an object', 'PUT /small/k'],
    ['a part of an upload', 'PUT /small/k?partNumber=1&uploadId=u'],
    ['the tags of an object', 'PUT /small/k?tagging'],
    ['the list of parts of an upload', 'POST /small/k?uploadId=u'],
    ['a list of deletions', 'POST /small?delete'],
  ])('%s', async (_, line) => {
    const heard = await answerToHead(line, { 'content-length': String(limitBytes + 1) });
    expect(heard).toMatch(tooLarge(limitBytes + 1, limitBytes));
    expect(asked).toEqual([]);
  });

  it.each([
    ['an object', 'PUT /small/k'],
    ['a part of an upload', 'PUT /small/k?partNumber=1&uploadId=u'],
  ])('%s in aws-chunked, by the length of its content', async (_, line) => {
    expect(await answerToHead(line, chunked(limitBytes + 1))).toMatch(tooLarge(limitBytes + 1, limitBytes));
    expect(asked).toEqual([]);
  });

  it('a form, as soon as its length leaves no smaller file', async () => {
    const { headers } = posted({ fields: { key: 'k' }, file: '' });
    const heard = await answerToHead('POST /small', {
      ...headers,
      'content-length': String(limitBytes + 40_000),
    });
    expect(heard).toMatch(/^HTTP\/1.1 400 [\s\S]*<Code>EntityTooLarge<\/Code>/);
    expect(asked).toEqual([]);
  });
});

async function post(bucket: string, fileBytes: number) {
  const { headers, body } = posted({ fields: { key: 'k' }, file: 'x'.repeat(fileBytes) });
  const { host } = new URL(gateway.url());
  return rawRequest(gateway.url(), {
    method: 'POST',
    path: `/${bucket}`,
    body,
    headers: { ...headers, host },
  });
}

describe.each([
  ['small', limitBytes],
  ['larger', largeLimitBytes],
])('the file in a form to the bucket %s', (bucket, allowedBytes) => {
  it('may be as large as the bucket takes, and its fields come on top', async () => {
    expect((await post(bucket, allowedBytes)).status).toBe(204);
    expect(asked).toEqual([`PUT /${bucket}/k`]);
  });

  it('is refused when it is a byte larger, and does not reach the store', async () => {
    const { status, text: said } = await post(bucket, allowedBytes + 1);
    expect([status, said]).toEqual([400, expect.stringContaining('<Code>EntityTooLarge</Code>')]);
    expect(asked).toEqual([]);
  });
});

it('a body as large as the bucket takes is passed on', async () => {
  const { status } = await rawRequest(gateway.url(), {
    method: 'PUT',
    path: '/small/k',
    body: Buffer.alloc(limitBytes),
    headers: { host: 'gateway', 'content-length': String(limitBytes) },
  });
  expect([status, asked]).toEqual([200, ['PUT /small/k']]);
});

it('a bucket that takes no bodies takes empty objects', async () => {
  const empty = await rawRequest(gateway.url(), {
    method: 'PUT',
    path: '/none/k',
    headers: { host: 'gateway', 'content-length': '0' },
  });
  expect(empty.status).toBe(200);
  expect(await answerToHead('PUT /none/k', { 'content-length': '1', expect: '100-continue' })).toMatch(
    tooLarge(1, 0),
  );
});
