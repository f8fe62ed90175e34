import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { accessLogTo } from '../../support/access-log-to.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RawStore } from '../../support/raw-store.ts';
import type { Fault } from '../../support/stand-in/faults.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { type TestAnswer, TestGateway } from '../../support/test-gateway.ts';

const content = '0123456789';
const xml = (code: string, more = '') =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Theirs.</Message>${more}<Resource>/b/k</Resource><RequestId>THEIRS</RequestId><HostId>their-host</HostId></Error>`;
const html = '<html><body>Service unavailable</body></html>';

/** What a store may say instead of an object, and what a client gets to hear. */
interface StoreSays {
  readonly name: string;
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the client's answer; default: the store's. */
  readonly told?: number;
  /** What the body of the client's answer contains; default: what the store's does. */
  readonly words?: string;
  /** How often the store is asked for one GET of something unknown. */
  readonly asked?: number;
  /** And for one HEAD; default: as often. */
  readonly askedByHead?: number;
  readonly remembered?: boolean;
}

const answers: readonly StoreSays[] = [
  { name: '403 AccessDenied', status: 403, body: xml('AccessDenied') },
  { name: '403 without words', status: 403 },
  { name: '404 NoSuchKey', status: 404, body: xml('NoSuchKey', '<Key>k</Key>'), remembered: true },
  { name: '404 NoSuchBucket', status: 404, body: xml('NoSuchBucket'), remembered: true },
  { name: '404 without words', status: 404, remembered: true },
  // only an answer to GET says that a 400 is not about the gateway's own signature
  { name: '400 InvalidRequest', status: 400, body: xml('InvalidRequest'), askedByHead: 2 },
  {
    name: '405 MethodNotAllowed',
    status: 405,
    body: xml('MethodNotAllowed'),
    headers: { allow: 'DELETE' },
    remembered: true,
  },
  { name: '409 of its own', status: 409, body: xml('OperationAborted') },
  { name: '412 that nobody asked for', status: 412, body: xml('PreconditionFailed') },
  { name: '429 SlowDown', status: 429, body: xml('SlowDown'), headers: { 'retry-after': '7' }, asked: 3 },
  {
    name: 'row 215: 503 SlowDown',
    status: 503,
    body: xml('SlowDown'),
    headers: { 'retry-after': '7' },
    asked: 3,
  },
  { name: '500 InternalError', status: 500, body: xml('InternalError'), asked: 3 },
  { name: '501 NotImplemented', status: 501, body: xml('NotImplemented') },
  { name: '502 of a proxy', status: 502, body: html, words: '<Code>BadGateway</Code>', asked: 3 },
  { name: '500 without words', status: 500, words: '<Code>InternalError</Code>', asked: 3 },
  { name: '503 without words', status: 503, words: '<Code>ServiceUnavailable</Code>', asked: 3 },
  { name: '520 without words', status: 520, words: '<Code>BadGateway</Code>' },
  { name: '507 of a proxy', status: 507, body: html, words: '<Code>BadGateway</Code>' },
  { name: '504 without words', status: 504, words: '<Code>GatewayTimeout</Code>', asked: 3 },
  {
    name: 'rows 121 and 283: 301 PermanentRedirect',
    status: 301,
    body: xml('PermanentRedirect', '<Endpoint>b.elsewhere.test</Endpoint><Bucket>b</Bucket>'),
    headers: { 'x-amz-bucket-region': 'mars-1' },
  },
  {
    name: 'rows 121 and 283: 307 TemporaryRedirect',
    status: 307,
    body: xml('TemporaryRedirect', '<Endpoint>b.elsewhere.test</Endpoint><Bucket>b</Bucket>'),
    headers: { location: 'http://b.elsewhere.test/k' },
  },
  { name: '304 that nobody asked for', status: 304, told: 502, words: '<Code>BadGateway</Code>' },
  { name: '204', status: 204, told: 502, words: '<Code>BadGateway</Code>' },
];

describe('what a store says instead of an object', () => {
  let clock: ManualClock;
  let store: StandInStore;
  let gateway: TestGateway;

  beforeEach(async () => {
    clock = new ManualClock();
    store = await StandInStore.start();
    gateway = await TestGateway.start({ storeUrl: store.url, clock: runningTimers(clock) });
    store.put('b', 'k', content);
  });
  afterEach(async () => {
    await gateway.close();
    await store.close();
  });

  const say = ({ status, body, headers = {} }: StoreSays) => {
    const type = body === undefined ? {} : { 'content-type': 'application/xml' };
    const fault: Fault = { kind: 'answer', status, ...(body && { body }), headers: { ...type, ...headers } };
    store.faults.next(fault, 20);
  };

  it.each(answers)('$name, of something unknown', async says => {
    for (const method of ['GET', 'HEAD']) {
      store.log.clear();
      say(says);
      expectTold(await gateway.send(method, '/b/k'), method, says);
      const asked = says.asked ?? 1;
      expect(store.log.requests.length).toBe(method === 'HEAD' ? (says.askedByHead ?? asked) : asked);
      store.faults.clear();
      const next = await gateway.send(method, '/b/k');
      expect(next.status).toBe(says.remembered ? says.status : 200);
      expect(next.headers['x-cache']).toBe(says.remembered ? 'HIT' : 'MISS');
      gateway.gateways[0]?.purge({ kind: 'bucket', bucket: 'b' });
    }
  });

  it.each(answers)('$name, when it is asked about something known', async says => {
    for (const method of ['GET', 'HEAD']) {
      expect((await gateway.get('/b/k')).body.toString()).toBe(content);
      clock.advance(61_000);
      store.log.clear();
      say(says);
      expectTold(await gateway.send(method, '/b/k'), method, asToldByHead(says));
      if (says.asked) expect(store.log.requests.length, 'a busy store').toBe(says.asked);
      store.faults.clear();
      const next = await gateway.get('/b/k');
      if (says.remembered && method === 'GET') expect(next.status).toBe(says.status);
      else expect(next).toMatchObject({ status: 200, body: Buffer.from(content) });
      gateway.gateways[0]?.purge({ kind: 'bucket', bucket: 'b' });
    }
  });

  it.each(answers)('$name, to those who may not list', async says => {
    const poor = await TestGateway.start({
      storeUrl: store.url,
      clock: runningTimers(clock),
      allows: (_caller, _bucket, action) => action === 'GetObject',
    });
    const isMissing = says.name === '404 NoSuchKey' || says.name === '404 without words';
    for (const method of ['GET', 'HEAD']) {
      say(says);
      const answer = await poor.send(method, '/b/k');
      if (isMissing && method === 'GET')
        expect(answer.body.toString()).toContain('<Code>AccessDenied</Code>');
      if (isMissing) expect(answer.status).toBe(403);
      // HEAD does not tell a missing bucket from a missing key (docs/semantics.md 120)
      else if (says.status !== 404 || method === 'GET') expectTold(answer, method, says);
      store.faults.clear();
      poor.gateways[0]?.purge({ kind: 'bucket', bucket: 'b' });
    }
    await poor.close();
  });

  it.each([
    'AuthorizationHeaderMalformed',
    'ExpiredToken',
    'InvalidAccessKeyId',
    'InvalidToken',
    'RequestTimeTooSkewed',
    'SignatureDoesNotMatch',
  ])("law 7: %s is about the gateway's own signature, and nothing of that is told", async code => {
    const quoted = ['AWSAccessKeyId', 'StringToSign', 'SignatureProvided', 'CanonicalRequest', 'Token-0'];
    const elements = quoted.map(name => `<${name}>of the gateway</${name}>`).join('');
    for (const path of ['/b/k', '/b/?list-type=2', '/b/k?tagging=']) {
      say({ name: code, status: 403, body: xml(code, elements) });
      const { status, body } = await gateway.get(path);
      expect(status).toBe(502);
      expect(body.toString()).toContain(
        `<Code>BadGateway</Code><Message>The store does not accept the gateway's own signature (${code}).</Message><RequestId>`,
      );
      expect(body.toString()).not.toContain('of the gateway');
      store.faults.clear();
    }
    expect((await gateway.get('/b/k')).status).toBe(200);
  });

  const signature = 'AWS4-HMAC-SHA256 Credential=GWKEY/x, SignedHeaders=host, Signature=00';
  it.each([
    ['too much', 'x'.repeat(1_000_000)],
    ['an open end', '<Error><Code>AccessDenied</Code><Message>GWKEY'],
    ['a document type', '<!DOCTYPE x [<!ENTITY y "GWKEY">]><Error><Code>&y;</Code></Error>'],
    ['another language', '{"Code":"SignatureDoesNotMatch","AWSAccessKeyId":"GWKEY"}'],
    ['a page', `<html>SignatureDoesNotMatch GWKEY ${signature}</html>`],
    [
      'another root',
      '<ErrorResponse><Error><Code>x</Code><AWSAccessKeyId>GWKEY</AWSAccessKeyId></Error></ErrorResponse>',
    ],
    [
      'another name space',
      '<s:Error xmlns:s="x"><s:Code>AccessDenied</s:Code><s:Message>GWKEY</s:Message></s:Error>',
    ],
    ['nothing that is text', '\u0000'],
  ])('law 7: words that are no error of the store’s protocol are not given on: %s', async (_name, body) => {
    for (const [status, code] of [
      [403, 'AccessDenied'],
      [404, 'NoSuchKey'],
      [409, 'BadRequest'],
    ] as const) {
      for (const path of ['/b/k', '/b/k', '/b/?list-type=2', '/b/k?tagging=']) {
        say({ name: 'garbage', status, body });
        const answer = await gateway.get(path);
        expect(answer.status).toBe(status);
        expect(answer.headers['content-type']).toBe('application/xml');
        expect(answer.body.toString()).toContain(`<Error><Code>${code}</Code>`);
        expect(answer.body.toString()).not.toMatch(/GWKEY|Signature=|xxx/);
        store.faults.clear();
      }
      gateway.gateways[0]?.purge({ kind: 'bucket', bucket: 'b' });
    }
  });

  it("a 400 to HEAD that is about the gateway's own signature is the gateway's failure, as with GET", async () => {
    const says = { name: 'ExpiredToken', status: 400, body: xml('ExpiredToken') };
    say(says);
    expect((await gateway.send('HEAD', '/b/k')).status).toBe(502);
    store.faults.clear();
    expect((await gateway.send('HEAD', '/b/k')).status).toBe(200);
    clock.advance(61_000);
    say(says);
    for (const method of ['HEAD', 'GET']) expect((await gateway.send(method, '/b/k')).status).toBe(502);
  });

  it.each([
    [
      'AccessDenied',
      '<AWSAccessKeyId>GWKEY</AWSAccessKeyId><StringToSign>GWKEY</StringToSign><Key>k</Key>',
      403,
    ],
    ['SignatureDoesNotMatch ', '<AWSAccessKeyId>GWKEY</AWSAccessKeyId>', 502],
    // a client may have its own words quoted: that is no failure of the gateway
    ['AccessDenied', `<Header>${signature}</Header><Key>k</Key>`, 403],
  ])('law 7: of %s with %s nothing of the signature is told', async (code, more, status) => {
    say({ name: code, status: 403, body: xml(code, more) });
    const answer = await gateway.get('/b/k');
    expect([answer.status, answer.body.toString()]).toEqual([status, expect.not.stringContaining('GWKEY')]);
    if (status === 403) expect(answer.body.toString()).toContain('<Key>k</Key>');
  });
});

const usualCodes: Readonly<Record<number, string>> = {
  429: 'SlowDown',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
};

/** A busy store is asked with HEAD alone about what is known, and has no words for that. */
function asToldByHead(says: StoreSays): StoreSays {
  const { 'content-type': _type, ...headers } = says.headers ?? {};
  return says.asked ? { ...says, headers, words: `<Code>${usualCodes[says.status]}</Code>` } : says;
}

function expectTold(answer: TestAnswer, method: string, says: StoreSays): void {
  const { status, body = '', headers = {}, told = status } = says;
  const words = says.words ?? /<Code>.*<\/Message>/.exec(body)?.[0] ?? body;
  const text = answer.body.toString();
  expect(answer.status).toBe(told);
  expect(answer.headers).toMatchObject({
    'x-amz-request-id': expect.any(String),
    'x-cache': 'MISS',
    'cache-status': expect.stringMatching(
      /^tidegate; (fwd=(uri-miss|stale); fwd-status=\d+|fwd=miss; detail=wrong-answer$)/,
    ),
    ...headers,
  });
  expect(text).toContain(method === 'HEAD' ? '' : words);
  expect(text === '').toBe(method === 'HEAD' || words === '');
  expect(text).not.toMatch(/Resource|THEIRS|their-host/);
  if (!text.includes('<Code>')) return;
  expect(answer.headers['content-type']).toBe('application/xml');
  const ids = `<RequestId>${answer.headers['x-amz-request-id']}</RequestId><HostId>${answer.headers['x-amz-id-2']}</HostId>`;
  expect(text).toContain(ids);
}

/** What takes longer is a time limit, which the clock has to be moved for. */
const retryDelayLimitMs = 5_000;

/** The time of `clock`, in which nobody waits: a retry comes at once. */
function runningTimers(clock: ManualClock): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, callback) => {
      if (delayMs > retryDelayLimitMs) return clock.after(delayMs, callback);
      const immediate = setImmediate(callback);
      return { cancel: () => clearImmediate(immediate) };
    },
  };
}

describe('a store that speaks no HTTP', () => {
  it.each<[string, string]>([
    ['no HTTP', 'hello\r\n\r\n'],
    ['a head that never ends in one', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n'],
    ['nothing', ''],
  ])('%s is answered as a store that fails', async (_name, said) => {
    const server = createServer(socket => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(said));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const gateway = await TestGateway.start({ storeUrl: `http://127.0.0.1:${port}` });
    for (const method of ['GET', 'HEAD']) {
      const answer = await gateway.send(method, '/b/k');
      expect(answer.status).toBe(503);
      expect(answer.headers).toMatchObject({
        'x-cache': 'MISS',
        'cache-status': 'tidegate; fwd=miss; detail=broken',
      });
      const words = '<Code>ServiceUnavailable</Code><Message>Service is unable to handle request.</Message>';
      expect(answer.body.toString()).toContain(method === 'HEAD' ? '' : words);
    }
    await gateway.close();
    await new Promise(resolve => server.close(resolve));
  });
});

it('what a store said instead of an error document is in the log, without what may be a secret', async () => {
  const lines: string[] = [];
  const store = await StandInStore.start();
  const gateway = await TestGateway.start({
    storeUrl: store.url,
    accessLog: accessLogTo(line => void lines.push(line)),
  });
  const key = Buffer.alloc(32, 'k').toString('base64');
  const page = `<h1>The proxy is out of order</h1>${key}${'.'.repeat(5_000)}`;
  store.faults.next({ kind: 'answer', status: 507, body: page, headers: { 'content-type': 'text/html' } }, 1);
  const { status, headers, body } = await gateway.get('/b/k');
  expect(status).toBe(507);
  expect(headers['content-type']).toBe('application/xml');
  expect(body.toString()).toContain('<Code>BadGateway</Code>');
  expect(body.toString()).not.toContain('out of order');
  const { storeSaid } = JSON.parse(lines[0] ?? '{}');
  expect(storeSaid).toMatch(/^<h1>The proxy is out of order<\/h1>\[redacted\]\.+$/);
  expect(storeSaid.length).toBeLessThanOrEqual(1_024);
  await gateway.close();
  await store.close();
});

it.each([200, 403])('the id of an answer that is the store’s own is in the log (%i)', async status => {
  const lines: string[] = [];
  const store = await RawStore.start(socket =>
    socket.write(`HTTP/1.1 ${status} Ok\r\nx-amz-request-id: STORE1\r\ncontent-length: 0\r\n\r\n`),
  );
  const accessLog = accessLogTo(line => void lines.push(line));
  const gateway = await TestGateway.start({ storeUrl: store.url, accessLog });
  const { headers } = await gateway.send('PUT', '/b/k');
  const { requestId, storeRequestId } = JSON.parse(lines[0] ?? '{}');
  expect([headers['x-amz-request-id'], storeRequestId]).toEqual(['STORE1', 'STORE1']);
  expect(requestId).toMatch(/^[0-9a-f]{16}$/);
  await gateway.close();
  await store.close();
});
