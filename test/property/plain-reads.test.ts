import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Exchange } from '../../src/gateway/request/exchange.ts';
import { PlainReads } from '../../src/gateway/request/plain-reads.ts';
import { Lab } from '../support/conformance/lab.ts';
import { signedQuestion } from '../support/conformance/question.ts';
import { KeptConnection } from '../support/kept-connection.ts';
import type { RawReply } from '../support/raw-request.ts';

/** One request as its lines are sent. */
interface Lines {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly hosts: readonly string[];
  readonly fields: readonly string[];
  readonly signature: 'none' | 'valid' | 'invalid';
}

/** What was decided about a request. */
type Judgement = Pick<
  Exchange,
  'bucket' | 'key' | 'prefix' | 'operation' | 'caller' | 'versionId' | 'errorCode'
>;

let lab: Lab;
let connection: KeptConnection;
let etag: string;
/** Whether the memo may be used by the requests sent now. */
let isMemoUsed = true;
/** Since the last request was sent. */
let isFromMemo = false;
let judged: Exchange | undefined;

beforeAll(async () => {
  const grants = [
    {
      actions: ['GetObject', 'GetObjectVersion', 'GetObjectTagging', 'ListBucket'],
      keys: ['**', '!private/**'],
    },
  ];
  lab = await Lab.start({
    store: { domain: 'gateway.test' },
    buckets: { open: {}, other: {}, closed: {} },
    anonymous: { open: grants, other: [{ actions: ['GetObject'], keys: ['**'] }] },
    gateway: { domain: 'gateway.test', listener: 'worker' },
  });
  for (const bucket of ['open', 'other', 'closed']) {
    await lab.store.put(`/${bucket}`);
    const cors = `<CORSConfiguration><CORSRule><AllowedOrigin>https://a.example</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>`;
    expect(await lab.store.signed({ method: 'PUT', path: `/${bucket}?cors`, body: cors })).toMatchObject({
      status: 200,
    });
  }
  await putObjects();
  connection = new KeptConnection(lab.gateway.url());
  const { find, remember } = PlainReads.prototype;
  vi.spyOn(PlainReads.prototype, 'remember').mockImplementation(function (this: PlainReads, client) {
    if (isMemoUsed) remember.call(this, client);
  });
  vi.spyOn(PlainReads.prototype, 'find').mockImplementation(function (this: PlainReads, exchange, ...rest) {
    judged = exchange;
    const found = isMemoUsed ? find.call(this, exchange, ...rest) : undefined;
    isFromMemo = found !== undefined;
    return found;
  });
});

async function putObjects(): Promise<void> {
  for (const bucket of ['open', 'other', 'closed']) {
    for (const key of ['k', 'private/k', 'a%20b', 'open/k', '/k']) {
      const { headers } = await lab.store.put(`/${bucket}/${key}`, `${key} of ${bucket}`, {
        'x-amz-tagging': 'a=b',
      });
      if (bucket === 'open' && key === 'k') etag = headers.etag ?? '';
    }
  }
}

afterAll(async () => {
  vi.restoreAllMocks();
  connection.close();
  await lab.stop();
});

const hosts = [
  'gateway.test',
  'GATEWAY.test:80',
  'open.gateway.test',
  'other.gateway.test',
  'Other.gateway.test.',
  'closed.gateway.test',
  '',
];
const paths = [
  ...['/open/k', '/other/k', '/closed/k', '/k', '/open/private/k', '/private/k', '/open/none'],
  ...['/open/a%20b', '/open/a+b', '/open/%6B', '/open/%6b', '/%6fpen/k', '/open%2Fk', '/open//k', '//k'],
  ...['/open/%', '/open/%zz', '/open/%C0%80', '/open/./k', '/open/../other/k', '/open', '/open/', '/', '*'],
];
const targets = [
  ...paths,
  ...['http://other.gateway.test/k', 'http://gateway.test/other/k', 'http:///k', 'HTTP://open.gateway.test'],
];
const queries = [
  ...['', '?', '?x-id=GetObject', '?versionId=null', '?versionId=x', '?partNumber=1', '?acl', '?k'],
  ...['?response-content-type=a/b', '?X-Amz-Algorithm=AWS4-HMAC-SHA256', '?X-Amz-Signature=x', '%3F'],
];

/** Fields that change the answer, or must not, by what they mean. */
function fieldLines(): readonly (readonly string[])[] {
  return [
    ['range: bytes=0-1', 'Range: bytes=-1', 'range: bytes=99-', 'range: x'],
    ['if-range: "x"', `if-range: ${etag}`],
    [`If-None-Match: ${etag}`, 'if-none-match: *', 'if-match: "x"', 'if-match: *'],
    ['if-modified-since: Sat, 01 Jan 2000 00:00:00 GMT', 'if-unmodified-since: yesterday'],
    ['origin: https://a.example', 'Origin: https://b.example', 'origin: null', 'origin:'],
    ['x-amz-checksum-mode: ENABLED', 'x-store-checksum-mode: ENABLED', 'x-amz-date: x', 'x-amz-: x'],
    ['x-amz-expected-bucket-owner: 1', 'X-AMZ-Security-Token: x', 'x-amz-request-payer: requester'],
    ['authorization: AWS4-HMAC-SHA256', 'Authorization: Basic eDp5', 'authorization:'],
    ['content-length: 0', 'content-type: a/b', 'expect: x', 'cookie: a=b', 'connection: close'],
    [
      'forwarded: host=other.gateway.test',
      'x-forwarded-host: other.gateway.test',
      'x-original-url: /other/k',
    ],
    ['x-http-method-override: DELETE'],
  ];
}

/** Mostly `usual`, so that most requests differ in one way from one that is remembered. */
function mostly<T>(usual: T, unusual: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, unusual);
}

function request(): fc.Arbitrary<Lines> {
  const line = fc.constantFrom(...fieldLines()).chain(lines => fc.constantFrom(...lines));
  const strange = fc.array(fc.constantFrom(...hosts, 'a, b', 'gateway.test:x', 'b/c'), { maxLength: 2 });
  const path = fc.oneof(fc.constantFrom('/open/k', '/other/k', '/k'), fc.constantFrom(...targets));
  return fc.record({
    method: mostly('GET', fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'POST', 'DELETE', 'get')),
    target: fc.tuple(path, mostly('', fc.constantFrom(...queries))).map(([path, query]) => path + query),
    version: fc.constantFrom('1.0', '1.1'),
    hosts: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...hosts).map(host => [host]) }, strange),
    fields: fc.oneof(
      fc.constant([]),
      { weight: 2, arbitrary: line.map(one => [one]) },
      fc.array(line, { maxLength: 3 }),
    ),
    signature: mostly<Lines['signature']>('none', fc.constantFrom('valid', 'invalid')),
  });
}

const plain: Lines = {
  method: 'GET',
  target: '/open/k',
  version: '1.1',
  hosts: ['gateway.test'],
  fields: [],
  signature: 'none',
};

function textOf({ method, target, version, hosts, fields, signature }: Lines): string {
  const lines = [
    ...hosts.map(host => `Host: ${host}`),
    ...fields,
    ...signatureLines(method, target, hosts, signature),
  ];
  return `${method} ${target} HTTP/${version}\r\n${lines.map(line => `${line}\r\n`).join('')}\r\n`;
}

function signatureLines(
  method: string,
  path: string,
  [host = '']: readonly string[],
  signature: Lines['signature'],
): string[] {
  if (signature === 'none') return [];
  const delivery = { origin: lab.gateway.url(), prefix: 'x-amz-', nowMs: lab.store.clock.nowMs() } as const;
  const { headers = {} } = signedQuestion({ method, path, host }, delivery);
  const signed = Object.entries(headers).filter(([name]) => name !== 'host');
  const spoil = (value: string) =>
    signature === 'invalid' ? value.replace(/Signature=\w/, 'Signature=x') : value;
  return signed.map(([name, value]) => `${name}: ${spoil(String(value))}`);
}

async function ask(lines: Lines, memo: 'with memo' | 'without memo') {
  isMemoUsed = memo === 'with memo';
  isFromMemo = false;
  judged = undefined;
  const [reply] = await connection.send(textOf(lines), [lines.method]);
  return { reply: reply && withoutIds(reply), judgement: judged && judgementOf(judged) };
}

function judgementOf(exchange: Exchange): Judgement {
  const { bucket, key, prefix, operation, caller, versionId, errorCode } = exchange;
  return { bucket, key, prefix, operation, caller, versionId, errorCode };
}

/** Whether what other requests read may have been deleted or replaced. */
function isWritten({ method }: Lines, status = 0): boolean {
  return (method === 'PUT' || method === 'DELETE') && status < 300;
}

/** Without what belongs to one reply. */
function withoutIds({ status, headers, text }: RawReply) {
  const kept = Object.entries(headers).filter(([name]) => !/^date$|-(request-id|id-2)$/.test(name));
  const ids = /<(RequestId|HostId)>[^<]*/g;
  return { status, headers: Object.fromEntries(kept), text: text.replace(ids, '<$1>') };
}

/** Remembers whatever may be remembered of the targets and hosts. */
beforeEach(async () => {
  for (const target of [...targets, ...queries.map(query => `/open/k${query}`)]) {
    for (const host of hosts) await ask({ ...plain, target, hosts: [host], version: '1.0' }, 'with memo');
  }
});

it('no request is judged or answered in another way because of what the memo holds', async () => {
  let fromMemo = 0;
  const runs = 800;
  await fc.assert(
    fc.asyncProperty(request(), async lines => {
      // the cache of objects is not the memo: the first answer is for that alone
      await ask(lines, 'without memo');
      const expected = await ask(lines, 'without memo');
      expect(await ask(lines, 'with memo')).toEqual(expected);
      if (isFromMemo) fromMemo++;
      if (isWritten(lines, expected.reply?.status)) await putObjects();
    }),
    { numRuns: runs },
  );
  expect(fromMemo).toBeGreaterThan(runs / 20);
});

it('RFC 9112 §3.2: a request of HTTP/1.1 without Host is refused, though HTTP/1.0 may ask the same', async () => {
  for (const hosts of [[], ['']])
    expect((await ask({ ...plain, hosts, version: '1.0' }, 'with memo')).reply?.status).toBe(200);
  const { reply } = await ask({ ...plain, hosts: [] }, 'with memo');
  expect(reply?.status).toBe(400);
});

it.each([
  ['the same', ['gateway.test', 'gateway.test']],
  ['another', ['gateway.test', 'other.gateway.test']],
  ['an empty one', ['gateway.test', '']],
])(
  'RFC 9112 §3.2: a request with a second Host, %s, is refused, however warm the memo',
  async (_which, hosts) => {
    expect((await ask(plain, 'with memo')).reply?.status).toBe(200);
    expect(isFromMemo).toBe(true);
    for (const version of ['1.0', '1.1'] as const) {
      for (const both of [hosts, hosts.toReversed()])
        expect((await ask({ ...plain, hosts: both, version }, 'with memo')).reply?.status).toBe(400);
    }
  },
);

it('one URL at two hosts is two objects, both of them remembered', async () => {
  for (let round = 0; round < 2; round++) {
    for (const name of ['open', 'other']) {
      const { reply } = await ask({ ...plain, target: '/k', hosts: [`${name}.gateway.test`] }, 'with memo');
      expect(reply).toMatchObject({ status: 200, text: `k of ${name}` });
      expect(isFromMemo).toBe(true);
    }
  }
});
