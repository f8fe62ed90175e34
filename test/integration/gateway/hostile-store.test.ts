import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const good = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\netag: "good"\r\n\r\ngood';

let store: RawStore;
let gateway: TestGateway;
let answers: (request: string) => string;

beforeEach(async () => {
  store = await RawStore.start((socket, request) => {
    if (request.includes('/good')) socket.write(good, 'latin1');
    else socket.end(answers(request), 'latin1');
  });
  gateway = await TestGateway.start({ storeUrl: store.url, workers: 2 });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

const refusal = (body: string) =>
  `HTTP/1.1 403 Forbidden\r\ncontent-type: application/xml\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const object = (...lines: string[]) =>
  `HTTP/1.1 200 OK\r\n${lines.map(line => `${line}\r\n`).join('')}\r\nabcd`;

/** Whole answers of a store, and the statuses that a client may get for them. */
const hostile: readonly (readonly [what: string, answer: string, statuses: readonly number[]])[] = [
  [
    'an error of a hundred nested elements',
    refusal(`<Error>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</Error>`),
    [403],
  ],
  ['an error called __proto__', refusal('<__proto__><Code>A</Code></__proto__>'), [403]],
  [
    'an error with elements of every object',
    refusal('<Error><Code>A</Code><__proto__>a</__proto__></Error>'),
    [403],
  ],
  ['an error whose code is __proto__', refusal('<Error><Code>__proto__</Code></Error>'), [403]],
  [
    'an error with a document type',
    refusal('<!DOCTYPE a [<!ENTITY b "c">]><Error><Code>&b;</Code></Error>'),
    [403],
  ],
  ['status 000', 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n', [502, 503]],
  ['status 099', 'HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n', [502, 503]],
  ['status 101', 'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n', [502, 503]],
  ['status 600', 'HTTP/1.1 600 X\r\ncontent-length: 0\r\n\r\n', [502, 503]],
  ['status 999', 'HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n', [502, 503]],
  ['status 304 to a question without conditions', 'HTTP/1.1 304 X\r\netag: "a"\r\n\r\n', [502]],
  [
    'a control character in a header',
    object('etag: "a"', 'x-amz-meta-a: \u0001', 'content-length: 4'),
    [502, 503],
  ],
  ['two entity tags', object('etag: "a"', 'etag: "b"', 'content-length: 4'), [502]],
  [
    'a head alone, of an answer that is not kept',
    'HTTP/1.1 200 OK\r\nETag: W/"a"\r\nContent-Length: 4\r\n\r\n',
    [503],
  ],
  [
    'a head and garbage in place of a chunk, of an answer that is not kept',
    'HTTP/1.1 200 OK\r\nETag: W/"a"\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    [503],
  ],
  ['two lengths', object('etag: "a"', 'content-length: 4', 'content-length: 5'), [502, 503]],
  ['a negative length', object('etag: "a"', 'content-length: -4'), [502, 503]],
  ['a length that is no number', object('etag: "a"', 'content-length: NaN'), [502, 503]],
  ['a length beyond 2^53', object('etag: "a"', 'content-length: 9007199254740993'), [502, 503]],
  [
    'a header called __proto__',
    object('__proto__: a', 'constructor: b', 'etag: "a"', 'content-length: 4'),
    [200],
  ],
  [
    'absurd dates',
    object('etag: "a"', 'last-modified: 99', 'expires: Infinity', 'date: -', 'content-length: 4'),
    [200],
  ],
  ['an absurd age', object('etag: "a"', `age: ${'9'.repeat(400)}`, 'content-length: 4'), [200]],
  ['a negative age', object('etag: "a"', 'age: -100', 'content-length: 4'), [200]],
  ['absurd parts', object('etag: "a"', 'x-amz-mp-parts-count: -1e308', 'content-length: 4'), [200]],
  [
    'seven hundred headers',
    object('etag: "a"', ...Array(700).fill('x-amz-meta-a: b'), 'content-length: 4'),
    [200],
  ],
  [
    'headers of a megabyte',
    object('etag: "a"', `x-amz-meta-a: ${'b'.repeat(1_000_000)}`, 'content-length: 4'),
    [502, 503],
  ],
  [
    'a part of something else',
    'HTTP/1.1 206 X\r\netag: "a"\r\ncontent-range: bytes 9-12/99\r\ncontent-length: 4\r\n\r\nabcd',
    [502],
  ],
  [
    'a part that is inverted',
    'HTTP/1.1 206 X\r\netag: "a"\r\ncontent-range: bytes 3-0/4\r\ncontent-length: 4\r\n\r\nabcd',
    [502],
  ],
  [
    'two parts',
    'HTTP/1.1 206 X\r\netag: "a"\r\ncontent-range: bytes 0-3/4\r\ncontent-range: bytes 0-3/8\r\ncontent-length: 4\r\n\r\nabcd',
    [502],
  ],
  ['chunks that are none', 'HTTP/1.1 404 X\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', [502, 503]],
  [
    'content in a transfer coding that nobody asked for',
    'HTTP/1.1 200 X\r\netag: "a"\r\ntransfer-encoding: gzip, chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n',
    [502],
  ],
  [
    'two fields of transfer codings',
    'HTTP/1.1 200 X\r\netag: W/"a"\r\ntransfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n',
    [502],
  ],
  ['a line that is no HTTP', '<html>', [502, 503]],
  ['nothing', '', [502, 503]],
];

describe('a store that answers with', () => {
  it.each(hostile)('%s ends no more than the request', async (_, answer, statuses) => {
    answers = () => answer;
    for (const path of ['/b/k', '/b/k2']) {
      const { status, body } = await gateway.get(path);
      expect(statuses).toContain(status);
      if (status === 200) expect(body.toString()).toBe('abcd');
    }
    // what is given on as it came may be cut off
    const others = ['/b/k?partNumber=1', '/b?list-type=2', '/b/k?tagging'].map(path => gateway.get(path));
    const heads = ['/b/k', '/b/k3', '/b/k3?partNumber=1'].map(path => gateway.head(path));
    for (const result of await Promise.allSettled([...others, ...heads]))
      if (result.status === 'fulfilled') expect(result.value.status).not.toBe(500);
    expect((await gateway.get('/b/good')).body.toString()).toBe('good');
    expect(await gauge('tidegate_requests_in_flight')).toBe(0);
    expect(await gauge('tidegate_request_faults_total')).toBe(0);
  });
});

it('a body in a hundred thousand chunks of one byte is given up, and its transfer not repeated', async () => {
  answers = () =>
    `HTTP/1.1 200 X\r\netag: "a"\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(100_000)}0\r\n\r\n`;
  const outcome = await gateway.get('/b/k').then(
    ({ status }) => status,
    () => 'cut off',
  );
  expect([502, 'cut off']).toContain(outcome);
  // the first answer shows no length: it is asked for again to be passed on
  expect(store.requests.length).toBeLessThanOrEqual(2);
  expect((await gateway.get('/b/good')).body.toString()).toBe('good');
});

async function gauge(name: string): Promise<number> {
  const snapshots = await Promise.all(gateway.metrics.map(metrics => metrics.snapshot()));
  return snapshots
    .flat()
    .filter(family => family.name === name)
    .flatMap(({ values }) => values)
    .reduce((sum, { value }) => sum + value, 0);
}
