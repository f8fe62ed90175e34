import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Part } from '../../../../src/cache/part-map.ts';
import type { ReadableRecord } from '../../../../src/cache/record.ts';
import {
  headersOfPart,
  headersOfRange,
  headersOfWhole,
  isVisible,
  notModifiedHeaders,
} from '../../../../src/gateway/reply/object-headers.ts';
import { PreparedHeaders } from '../../../../src/gateway/reply/prepared-headers.ts';
import type { Visibility } from '../../../../src/gateway/request/access.ts';
import { AnswerRules } from '../../../../src/gateway/request/answer-rules.ts';
import type { HeaderPrefix } from '../../../../src/s3/dialect.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { listenLocally } from '../../../support/listen-locally.ts';
import { TextContent } from '../../../support/object-server-bench.ts';
import { recordOf } from '../../../support/records.ts';
import { talk } from '../../../support/talk.ts';

const storeField = (name: string, value: string) => ({ name, value, store: true });
const record: ReadableRecord = {
  ...recordOf(new TextContent('0123456789')),
  fields: [
    ...[httpHeader('etag', '"t"'), httpHeader('content-type', 'text/plain'), httpHeader('expires', '0')],
    ...[httpHeader('last-modified', 'then'), httpHeader('cache-control', 'private')],
    ...[storeField('version-id', 'v'), storeField('checksum-crc32', 'crc'), storeField('tagging-count', '2')],
    ...[storeField('object-lock-legal-hold', 'ON'), storeField('meta-checksum-x', 'mine')],
    ...[storeField('bucket-arn', 'arn:aws:s3:::b'), httpHeader('location', '/b/k')],
    ...[httpHeader('access-control-allow-origin', '*'), httpHeader('vary', 'Origin')],
    ...[httpHeader('cdn-cache-control', 'max-age=5'), httpHeader('repr-digest', 'sha-256=:w:')],
    ...[httpHeader('content-digest', 'sha-256=:m:'), httpHeader('content-md5', 'm')],
  ],
};
const report = { result: 'HIT', cacheStatus: 'tidegate; hit; ttl=1' } as const;
const reply = { report, requestId: 'id', id2: 'id2', date: 'today' };
let server: Server;
let url: string;
let handle: (response: ServerResponse) => void;

beforeEach(async () => {
  server = createServer((_, response) => handle(response));
  url = await listenLocally(server);
});

afterEach(() => new Promise(resolve => server.close(resolve)));

const everything: Visibility = {
  checksums: true,
  taggingCount: true,
  legalHold: true,
  storeNames: true,
  targeted: true,
};
const nothing: Visibility = {
  checksums: false,
  taggingCount: false,
  legalHold: false,
  storeNames: false,
  targeted: false,
};

function viewOf(visibility: Visibility, prefix: HeaderPrefix = 'x-amz-', isCharged = false) {
  const unruled = { answerRules: undefined, crossOrigin: [], operation: 'GetObject' };
  return { exchange: { prefix, isCharged, ...unruled }, visibility, overrides: [] };
}

/** The fields of a head with these headers, in order, as node:http and as the direct answer write them. */
async function headOf(headers: PreparedHeaders, body: string, status = 200, ageS?: number) {
  handle = response => headers.begin(response, status, reply, ageS).endWith(body);
  const ask = async (more: string) => {
    const [heard] = await talk(url, `GET / HTTP/1.1\r\nHost: h\r\n${more}\r\n`, 1);
    const [statusLine, ...lines] = (heard?.head ?? '').split('\r\n');
    return {
      statusLine,
      body: heard?.body,
      lines: lines.filter(line => !/^(date|connection|keep-alive):/i.test(line)),
    };
  };
  const direct = await ask('');
  expect(await ask('Connection: close\r\n')).toEqual(direct);
  expect(direct.body).toBe(body);
  return { statusLine: direct.statusLine, lines: direct.lines };
}

describe('of an object', () => {
  const common = [
    'etag: "t"',
    'content-type: text/plain',
    'expires: 0',
    'last-modified: then',
    'cache-control: private',
    'repr-digest: sha-256=:w:',
  ];
  const ofWhole = ['content-digest: sha-256=:m:', 'content-md5: m'];
  const ofOrigins = ['access-control-allow-origin: *', 'vary: Origin'];
  const ofReply = [
    'x-amz-request-id: id',
    'x-amz-id-2: id2',
    'cache-status: tidegate; hit; ttl=1',
    'x-cache: HIT',
  ];
  const hidden = [
    ...['x-amz-checksum-crc32: crc', 'x-amz-tagging-count: 2', 'x-amz-object-lock-legal-hold: ON'],
    ...['x-amz-bucket-arn: arn:aws:s3:::b', 'location: /b/k', 'cdn-cache-control: max-age=5'],
  ];
  const always = ['x-amz-version-id: v', 'x-amz-meta-checksum-x: mine'];

  it('who may see all gets all fields of the record and of the reply', async () => {
    const { statusLine, lines } = await headOf(
      headersOfWhole(record, viewOf(everything)),
      '0123456789',
      200,
      7,
    );
    expect(statusLine).toBe('HTTP/1.1 200 OK');
    expect(lines.toSorted()).toEqual(
      [...common, ...ofWhole, ...always, ...hidden, ...ofOrigins, ...ofReply]
        .concat('accept-ranges: bytes', 'content-length: 10', 'age: 7')
        .toSorted(),
    );
  });

  it('the same record shows each reader what that one may see, in its dialect, whoever came before', async () => {
    const shown = async (visibility: Visibility, prefix: HeaderPrefix, isCharged = false) => {
      const { lines } = await headOf(
        headersOfWhole(record, viewOf(visibility, prefix, isCharged)),
        '0123456789',
      );
      const own = lines.filter(line =>
        /checksum-crc|tagging|legal-hold|charged|bucket-arn|^location|^cdn/.test(line),
      );
      return own.map(line => line.split(':')[0]);
    };
    for (const prefix of ['x-amz-', 'x-store-', 'x-amz-'] as const) {
      for (let seen = 0; seen < 32; seen++) {
        const visibility = {
          ...{ checksums: (seen & 1) > 0, taggingCount: (seen & 2) > 0, legalHold: (seen & 4) > 0 },
          storeNames: (seen & 8) > 0,
          targeted: (seen & 16) > 0,
        };
        const expected = [
          ...(visibility.checksums ? [`${prefix}checksum-crc32`] : []),
          ...(visibility.taggingCount ? [`${prefix}tagging-count`] : []),
          ...(visibility.legalHold ? [`${prefix}object-lock-legal-hold`] : []),
          ...(visibility.storeNames ? [`${prefix}bucket-arn`, 'location'] : []),
          ...(visibility.targeted ? ['cdn-cache-control'] : []),
        ];
        expect(await shown(visibility, prefix)).toEqual(expected);
        if (seen === 31)
          expect(await shown(visibility, prefix, true)).toEqual([...expected, `${prefix}request-charged`]);
      }
    }
  });

  it('RFC 9530: a part has the digest of the whole content, and none of bytes that it does not carry', async () => {
    const part = headersOfRange(record, viewOf(everything), { first: 2, last: 4 });
    const { lines } = await headOf(part, '234', 206);
    expect(lines.filter(line => /digest|md5/.test(line))).toEqual(['repr-digest: sha-256=:w:']);
  });

  it('heads are prepared once for readers who see the same', () => {
    const one = headersOfWhole(record, viewOf(nothing));
    expect(headersOfWhole(record, viewOf(nothing))).toBe(one);
    expect(headersOfWhole({ ...record }, viewOf(nothing))).not.toBe(one);
  });

  it('heads are prepared for each outcome of rules, and those of so many are kept', () => {
    const ruled = (value: string) => {
      const view = viewOf(nothing);
      const answerRules = new AnswerRules({ set: { 'x-rule': value }, add: {}, remove: [] }, undefined);
      return { ...view, exchange: { ...view.exchange, answerRules } };
    };
    const own = { ...record };
    const [one, other] = [ruled('1'), ruled('2')];
    const first = headersOfWhole(own, one);
    expect(headersOfWhole(own, other)).not.toBe(first);
    for (let index = 0; index < 10; index++) headersOfWhole(own, ruled(`${index}`));
    expect(headersOfWhole(own, one)).toBe(first);
    for (let index = 0; index < 20; index++) headersOfWhole(own, ruled(`${index}`));
    expect(headersOfWhole(own, one)).not.toBe(first);
  });

  it('Decided 1: what a client wants replaced is replaced, in a 200', async () => {
    const overrides = [['Content-Type', 'image/png']] as const;
    const { lines } = await headOf(headersOfWhole(record, { ...viewOf(nothing), overrides }), '0123456789');
    expect(lines).toContain('Content-Type: image/png');
    expect(lines).not.toContain('content-type: text/plain');
    expect(lines).toContain('content-length: 10');
  });

  it.each([
    [0, 9, '0123456789', true],
    [0, 8, '012345678', false],
    [1, 9, '123456789', false],
  ])(
    'row 8: checksums are sent with all of it only: bytes %d to %d',
    async (first, last, body, hasChecksum) => {
      const { statusLine, lines } = await headOf(
        headersOfRange(record, viewOf(everything), { first, last }),
        body,
        206,
      );
      expect(statusLine).toBe('HTTP/1.1 206 Partial Content');
      expect(lines).toContain(`content-length: ${body.length}`);
      expect(lines).toContain(`content-range: bytes ${first}-${last}/10`);
      expect(lines.includes('x-amz-checksum-crc32: crc')).toBe(hasChecksum);
      const unseen = await headOf(headersOfRange(record, viewOf(nothing), { first, last }), body, 206);
      expect(unseen.lines).not.toContain('x-amz-checksum-crc32: crc');
    },
  );

  it('rows 36 to 39 and 48: a part has its own checksums, and the number of parts', async () => {
    const part: Part = { first: 4, last: 6, checksums: [storeField('checksum-crc32', 'of the part')] };
    const headOfPart = async (visibility: Visibility, count: number | undefined) =>
      (await headOf(headersOfPart(record, viewOf(visibility), part, count), '456', 206)).lines;
    const seen = await headOfPart(everything, 3);
    for (const line of ['x-amz-mp-parts-count: 3', 'content-range: bytes 4-6/10', 'content-length: 3'])
      expect(seen).toContain(line);
    expect(seen.filter(line => line.includes('checksum-crc32'))).toEqual([
      'x-amz-checksum-crc32: of the part',
    ]);
    const unseen = (await headOfPart(nothing, undefined)).join();
    expect(unseen).not.toMatch(/parts-count|checksum-crc32/);
  });
});

it('Decided 6: a 304 has the fields that a 200 would update caches with', async () => {
  const { exchange } = viewOf(nothing, 'x-amz-', true);
  const { statusLine, lines } = await headOf(notModifiedHeaders(record, exchange), '', 304);
  expect(statusLine).toBe('HTTP/1.1 304 Not Modified');
  expect(lines.map(line => line.split(':')[0]).toSorted()).toEqual(
    [
      ...['etag', 'expires', 'last-modified', 'cache-control', 'x-amz-version-id', 'x-amz-request-charged'],
      ...['access-control-allow-origin', 'vary', 'x-amz-request-id', 'x-amz-id-2', 'cache-status', 'x-cache'],
    ].toSorted(),
  );
});

it('the end of a head is written anew when one of its fields has changed', async () => {
  const headers = PreparedHeaders.of(['content-length', '0'], 'x-store-');
  const later = { ...reply, date: 'tomorrow' };
  const ofOther = { ...later, id2: 'other' };
  const partial = { ...ofOther, report: { ...report, cacheStatus: 'partial' } };
  const another = { ...partial, report: { ...partial.report, result: 'PARTIAL' } } as const;
  const replies = [reply, { ...reply, requestId: 'next' }, later, ofOther, partial, partial, another];
  const heads: string[] = [];
  for (const [index, next] of replies.entries()) {
    const ageS = index >= 5 ? 1 : undefined;
    handle = response => headers.begin(response, 200, next, ageS).endWith('');
    const [heard] = await talk(url, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n', 1);
    heads.push(heard?.head ?? '');
  }
  const differing = (line: RegExp) => heads.map(head => line.exec(head)?.[1]);
  expect(differing(/x-store-request-id: (.*)/)).toEqual(['id', 'next', ...Array(5).fill('id')]);
  expect(differing(/Date: (.*)/)).toEqual(['today', 'today', ...Array(5).fill('tomorrow')]);
  expect(differing(/x-store-id-2: (.*)/)).toEqual([...Array(3).fill('id2'), ...Array(4).fill('other')]);
  expect(differing(/cache-status: (\w+)/)).toEqual([
    ...Array(4).fill('tidegate'),
    ...Array(3).fill('partial'),
  ]);
  expect(differing(/x-cache: (.*)/)).toEqual([...Array(6).fill('HIT'), 'PARTIAL']);
  expect(differing(/age: (.*)/)).toEqual([...Array(5).fill(undefined), '1', '1']);
});

it.each([
  ['etag', 'other', true],
  ['checksum-crc32', 'store', false],
  ['checksum-crc32', 'other', true],
  ['meta-tagging-count', 'store', true],
  ['tagging-count', 'store', false],
  ['object-lock-legal-hold', 'store', false],
  ['object-lock-mode', 'store', true],
])('Decided 9: of what not everybody sees, %s (%s) is shown: %s', (name, of, isShown) => {
  const field = { name, value: 'x', store: of === 'store' };
  expect(isVisible(field, nothing)).toBe(isShown);
  expect(isVisible(field, everything)).toBe(true);
});
