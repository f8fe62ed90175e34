import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { accessLogTo } from '../../support/access-log-to.ts';
import { contentMd5 } from '../../support/content-md5.ts';
import { posted } from '../../support/posted-form.ts';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

let store: RawStore;
let gateway: TestGateway;
let lines: string[];

beforeEach(async () => {
  lines = [];
  store = await RawStore.start(() => undefined);
  gateway = await TestGateway.start({
    storeUrl: store.url,
    listener: 'worker',
    listenerLimits: { timeouts: { headersMs: 400, bodyMs: 400, idleMs: 300_000 }, minRateBytes: 1_000_000 },
    accessLog: accessLogTo(line => void lines.push(line)),
  });
});
afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** All that a client hears that sends no more than `sent`, until the connection is closed. */
async function heardAfter(sent: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url());
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setEncoding('latin1').on('error', () => undefined);
  socket.write(sent, 'latin1');
  let heard = '';
  for await (const chunk of socket) heard += chunk;
  return heard;
}

const request = (line: string, length: number, more: string[] = []) =>
  [`${line} HTTP/1.1`, 'host: g', `content-length: ${length}`, ...more].join('\r\n');
const amazon = 'x-amz-meta-a: b';
const form = posted({ fields: { key: 'k' }, file: 'x'.repeat(2_000_000) });
const formType = [`content-type: ${form.headers['content-type']}`, amazon];

it.each([
  ['some bytes of a small object', request('PUT /b/k', 1_000, [amazon]), 'x'.repeat(10)],
  ['a part of a large object', request('PUT /b/k', 10_000_000, [amazon]), 'x'.repeat(200_000)],
  ['nothing', request('PUT /b/k', 10_000_000, [amazon]), ''],
  ['nothing when it may go on', request('PUT /b/k', 10_000_000, [amazon, 'expect: 100-continue']), ''],
  [
    'some bytes of a list of deletions',
    request('POST /b?delete', 1_000, [amazon, `content-md5: ${contentMd5('')['content-md5']}`]),
    '<Delete>',
  ],
  ['some bytes of a restore', request('POST /b/k?restore', 1_000, [amazon]), '<Rest'],
  ['a part of a small form', request('POST /b', 1_000, formType), form.body.toString('latin1', 0, 60)],
  ['a part of the head of a large form', request('POST /b', form.body.length, formType), '--the'],
  [
    'a part of a large form',
    request('POST /b', form.body.length, formType),
    form.body.toString('latin1', 0, 300_000),
  ],
])(
  'a client that sends %s and no more is told so, by the request that the log has',
  async (_, head, body) => {
    const heard = await heardAfter(`${head}\r\n\r\n${body}`);
    const answer = heard.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, '');
    expect(answer).toMatch(/^HTTP\/1.1 408 [\s\S]*<Code>RequestTimeout<\/Code>/);
    const requestId = /^x-amz-request-id: (.*)\r$/im.exec(answer)?.[1];
    const logged = lines.map(line => JSON.parse(line));
    expect(logged).toMatchObject([
      { requestId, status: 408, code: 'RequestTimeout', reason: 'the client sends its body too slowly' },
    ]);
    expect(logged[0]?.clientLeft).toBeUndefined();
  },
);
