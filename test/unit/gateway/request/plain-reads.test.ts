import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { ClientRead } from '../../../../src/gateway/request/client-read.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { PlainReads } from '../../../../src/gateway/request/plain-reads.ts';
import { TargetMemo } from '../../../../src/gateway/request/target-memo.ts';
import { parseRange } from '../../../../src/http/range.ts';
import { RequestFields } from '../../../../src/s3/request-fields.ts';
import { readOf } from '../../../support/object-reads.ts';

const ends = { refuse: () => undefined, fault: () => undefined };
const response = new ServerResponse(new IncomingMessage(new Socket()));

/** An anonymous GET of `url` that has been allowed. */
function allowed(url: string, headers: readonly string[] = ['Host', 'h'], method = 'GET'): ClientRead {
  const exchange = new Exchange(response, method, url, 0, 'id', 'id2', { now: 'today' }, ends);
  const visibility = {
    checksums: false,
    taggingCount: false,
    legalHold: false,
    storeNames: true,
    targeted: true,
  };
  const fields = new RequestFields(headers);
  const range = parseRange(fields.range);
  const read = readOf(url.slice(3), { range, isConditional: fields.isConditional });
  return {
    ...{ exchange, fields, read, range: read.range, visibility, overrides: [] },
    ...{ isAllowed: true, mayKnowMissing: true, customerKey: undefined, nowMs: 0 },
    rules: { cache: read.policy },
  };
}

const finds = (reads: PlainReads, { exchange, fields }: ClientRead) =>
  reads.find(exchange, fields, 0) !== undefined;

/** Has `client` come twice: what comes once is not remembered. */
function remember(reads: PlainReads, client: ClientRead): void {
  for (let times = 0; times < 2; times++) reads.remember(client);
}

it('remembers what comes for a second time', () => {
  const reads = new PlainReads();
  for (const isKnown of [false, true]) {
    reads.remember(allowed('/b/k'));
    expect(finds(reads, allowed('/b/k'))).toBe(isKnown);
  }
});

it('remembers nothing that comes again after some thousand others', () => {
  const reads = new PlainReads();
  reads.remember(allowed('/b/k'));
  for (let number = 0; number < 20_000; number++) reads.remember(allowed(`/b/${number}`));
  reads.remember(allowed('/b/k'));
  expect(finds(reads, allowed('/b/k'))).toBe(false);
});

it('remembers a URL and its host', () => {
  const reads = new PlainReads();
  remember(reads, allowed('/b/k'));
  expect(finds(reads, allowed('/b/k'))).toBe(true);
  expect(finds(reads, allowed('/b/l'))).toBe(false);
  expect(finds(reads, allowed('/b/k', ['Host', 'g']))).toBe(false);
});

it('remembers one URL of several hosts', () => {
  const reads = new PlainReads();
  const hosts = ['g', 'h', 'H', 'h:80'];
  for (const host of hosts) remember(reads, allowed(`/b/${host}`, ['Host', host]));
  for (const host of hosts) {
    for (const named of hosts) {
      const isKnown = finds(reads, allowed(`/b/${named}`, ['Host', host]));
      expect(isKnown, `${host} ${named}`).toBe(host === named);
    }
  }
});

it('neither remembers nor looks for the name of a host that is too long for one', () => {
  const reads = new PlainReads();
  const hosts = [512, 513, 16_384].map(length => 'h'.repeat(length));
  for (const host of hosts) remember(reads, allowed('/b/k', ['Host', host]));
  const found = hosts.map(host => finds(reads, allowed('/b/k', ['Host', host])));
  expect(found).toEqual([true, false, false]);
});

it('does not remember a URL with a query', () => {
  const reads = new PlainReads();
  for (const url of ['/b/k?', '/b/k?x-id=GetObject']) {
    remember(reads, allowed(url));
    expect(finds(reads, allowed(url))).toBe(false);
  }
});

it.each<[string, ...Parameters<typeof allowed>]>([
  ['a HEAD', '/b/k', ['Host', 'h'], 'HEAD'],
  ['a method like GET', '/b/k', ['Host', 'h'], 'get'],
  ['Origin', '/b/k', ['Host', 'h', 'Origin', 'https://a.example']],
  ['an empty Origin', '/b/k', ['Host', 'h', 'Origin', '']],
  ['Authorization', '/b/k', ['Host', 'h', 'Authorization', 'AWS4-HMAC-SHA256']],
  ['a field of the store', '/b/k', ['Host', 'h', 'x-amz-checksum-mode', 'ENABLED']],
  ['a field of the store in the other dialect', '/b/k', ['Host', 'h', 'x-store-request-payer', 'requester']],
])('neither remembers nor looks for what the answer may depend on beside the URL: %s', (_, ...asked) => {
  const remembering = new PlainReads();
  remember(remembering, allowed(...asked));
  expect(finds(remembering, allowed('/b/k'))).toBe(false);
  const looking = new PlainReads();
  remember(looking, allowed('/b/k'));
  expect(finds(looking, allowed(...asked))).toBe(false);
  expect(finds(looking, allowed('/b/k'))).toBe(true);
});

it('has range and preconditions of the request that is found, not of the one that was remembered', () => {
  const [plain, ranged, conditional] = [
    allowed('/b/k'),
    allowed('/b/k', ['Host', 'h', 'Range', 'bytes=1-2']),
    allowed('/b/k', ['Host', 'h', 'If-None-Match', '"t"']),
  ];
  for (const remembered of [plain, ranged, conditional]) {
    const reads = new PlainReads();
    remember(reads, remembered);
    const found = (client: ClientRead) => reads.find(client.exchange, client.fields, 5);
    const range = { kind: 'from', first: 1, last: 2 };
    expect(found(plain)).toMatchObject({
      ...{ nowMs: 5, isAllowed: true, mayKnowMissing: true, range: { kind: 'absent' } },
      read: { range: { kind: 'absent' }, isConditional: false },
    });
    expect(found(ranged)).toMatchObject({ range, read: { range, isConditional: false } });
    expect(found(conditional)).toMatchObject({ read: { range: { kind: 'absent' }, isConditional: true } });
  }
});

it('tells the exchange what address and operation it is', () => {
  const reads = new PlainReads();
  const remembered = allowed('/b/k');
  Object.assign(remembered.exchange, { bucket: 'b', key: 'k', prefix: 'x-amz-' });
  remember(reads, remembered);
  const { exchange, fields } = allowed('/b/k');
  reads.find(exchange, fields, 0);
  expect(exchange).toMatchObject({
    ...{ bucket: 'b', backend: 'main', key: 'k', prefix: 'x-amz-', operation: 'GetObject' },
    ...{ caller: undefined, versionId: undefined },
  });
});

it('does not remember what a client was allowed, however it showed who it is', () => {
  const reads = new PlainReads();
  const client = allowed('/b/k');
  client.exchange.caller = 'reader';
  remember(reads, client);
  expect(finds(reads, allowed('/b/k'))).toBe(false);
});

it('finds what it holds again and again, and forgets nothing by looking', () => {
  const reads = new PlainReads();
  remember(reads, allowed('/b/first'));
  for (let number = 0; number < 7_000; number++) remember(reads, allowed(`/b/${number}`));
  for (let look = 0; look < 20_000; look++) expect(finds(reads, allowed('/b/first'))).toBe(true);
  expect(finds(reads, allowed('/b/0'))).toBe(true);
});

it.each([
  ['URLs', (number: number) => allowed(`/b/${number}`)],
  ['hosts', (number: number) => allowed('/b/k', ['Host', `h${number}`])],
])('remembers some thousand %s, whoever sends how many', (_what, nth) => {
  const reads = new PlainReads();
  const count = 30_000;
  for (let number = 0; number < count; number++) remember(reads, nth(number));
  const held = Array.from({ length: count }, (_, number) => finds(reads, nth(number))).filter(Boolean);
  expect(held.length).toBeGreaterThan(2_000);
  expect(held.length).toBeLessThanOrEqual(10_000);
});

it('remembers and finds nothing for a request without Host, which has to be looked at', () => {
  const reads = new PlainReads();
  remember(reads, allowed('/b/k', []));
  expect(finds(reads, allowed('/b/k', []))).toBe(false);
});

it('neither remembers nor looks for a URL longer than a key needs', () => {
  const reads = new PlainReads();
  const url = (length: number) => `/b/${'k'.repeat(length - 3)}`;
  for (const length of [4_096, 4_097, 8_192, 30_000]) remember(reads, allowed(url(length)));
  expect([4_096, 4_097, 8_192, 30_000].map(length => finds(reads, allowed(url(length))))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it('holds a few MiB of URLs, however long they are: the latest', () => {
  const reads = new PlainReads();
  const url = (number: number) => `/b/${String(number).padStart(4_000, 'k')}`;
  const count = 5_000;
  for (let number = 0; number < count; number++) remember(reads, allowed(url(number)));
  const found = Array.from({ length: count }, (_, number) => finds(reads, allowed(url(number))));
  const held = found.filter(Boolean).length;
  expect(held).toBeGreaterThan(500);
  expect(held * 4_000).toBeLessThan(8 * 1024 * 1024);
  expect(found.lastIndexOf(false)).toBe(count - held - 1);
});

const LIMIT_BYTES = 8 * 1024 * 1024;

interface Target {
  readonly host: string;
  readonly url: string;
}

/** Adds `count` targets and returns how many of them are still found. */
function held(count: number, target: (number: number) => Target, costBytes = 0): number {
  const memo = new TargetMemo<number>();
  for (let number = 0; number < count; number++) {
    const { host, url } = target(number);
    memo.add(host, url, number, costBytes);
  }
  const numbers = Array.from({ length: count }, (_, number) => number);
  return numbers.filter(number => {
    const { host, url } = target(number);
    const found = memo.find(host, url);
    if (found !== undefined) expect(found).toBe(number);
    return found !== undefined;
  }).length;
}

const padded = (number: number, length: number) => String(number).padStart(length, 'x');

it.each([
  ['hosts', 4_000, (number: number) => ({ host: padded(number, 4_000), url: '/' })],
  ['URLs', 4_000, (number: number) => ({ host: 'h', url: padded(number, 4_000) })],
  [
    'hosts and URLs',
    4_000,
    (number: number) => ({ host: padded(number, 2_000), url: padded(number, 2_000) }),
  ],
])('long %s count with their length towards the limit of bytes', (_what, lengthBytes, target) => {
  const count = held(6_000, target);
  expect(count * lengthBytes).toBeLessThan(LIMIT_BYTES);
  expect(count * lengthBytes).toBeGreaterThan(LIMIT_BYTES / 4);
});

it('what a value costs counts as well', () => {
  const count = held(6_000, number => ({ host: 'h', url: `/${number}` }), 4_000);
  expect(count * 4_000).toBeLessThan(LIMIT_BYTES);
  expect(count * 4_000).toBeGreaterThan(LIMIT_BYTES / 4);
});

it('a host of its own for each URL costs a map each, so that fewer fit', () => {
  const shared = held(20_000, number => ({ host: 'h', url: `/${number}` }), 200);
  const apart = held(20_000, number => ({ host: `h${number}`, url: '/' }), 200);
  expect(apart).toBeLessThan(shared);
});

it('what is full gives way to the latest half, not to a single one', () => {
  const memo = new TargetMemo<string>();
  const add = (number: number) => memo.add('h', `/${number}`, `${number}`, 0);
  for (let number = 0; number < 10_000; number++) add(number);
  expect([memo.find('h', '/0'), memo.find('h', '/9999')]).toEqual(['0', '9999']);
  add(10_000);
  expect([memo.find('h', '/0'), memo.find('h', '/4999')]).toEqual([undefined, undefined]);
  expect([memo.find('h', '/5000'), memo.find('h', '/10000')]).toEqual(['5000', '10000']);
});

it('a value that is added again is the one that is found', () => {
  const memo = new TargetMemo<string>();
  memo.add('h', '/', 'old', 0);
  for (let number = 0; number < 5_000; number++) memo.add('h', `/${number}`, 'other', 0);
  memo.add('h', '/', 'new', 0);
  expect(memo.find('h', '/')).toBe('new');
});
