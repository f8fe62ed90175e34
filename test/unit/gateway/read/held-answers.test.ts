import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/backend/store.ts';
import type { Content } from '../../../../src/cache/content.ts';
import { PartMap } from '../../../../src/cache/part-map.ts';
import type { ObjectRecord, ReadableRecord } from '../../../../src/cache/record.ts';
import { NotCachedError } from '../../../../src/gateway/fill/fill-error.ts';
import { heldAnswer, staleAnswer } from '../../../../src/gateway/read/held-answers.ts';
import type { ObjectRead } from '../../../../src/gateway/request/object-read.ts';
import { parseRequestDirectives } from '../../../../src/http/request-directives.ts';
import { readOf } from '../../../support/object-reads.ts';
import { recordFields, recordOf } from '../../../support/records.ts';

const failed = new StoreError('UNREACHABLE', 'gone', undefined);

/** A read that may be answered stale, with a Cache-Control of its client. */
function read(cacheControl: string | undefined, different: Partial<ObjectRead> = {}): ObjectRead {
  const plain = readOf('k', { directives: parseRequestDirectives(cacheControl, undefined), ...different });
  return { ...plain, policy: { ...plain.policy, staleIfErrorMs: 3_600_000 } };
}

/** A record of an object of which all bytes are held. */
function heldRecord(sizeBytes: number, different: Partial<ReadableRecord> = {}): ReadableRecord {
  const content = { sizeBytes, parts: new PartMap(), coverage: () => 'all' } as Partial<Content> as Content;
  return { ...recordOf(content), ...different };
}

function held(record: ObjectRecord, asked: ObjectRead, nowMs = 0) {
  const records = { recordNamed: (_: ObjectRead, name: string) => named.get(name), epochOf: () => 0 };
  const named = new Map([['', record]]);
  return heldAnswer(records, asked, nowMs).record;
}

const stale = (record: ObjectRecord, asked: ObjectRead) => staleAnswer(record, asked, failed, 100_000);

describe('what is held', () => {
  it('is part 1 of an empty object as well, though nothing is known of its parts', () => {
    const part = { partNumber: 1 };
    const empty = heldRecord(0);
    expect(held(empty, read('only-if-cached', part))).toBe(empty);
    expect(stale(empty, read(undefined, part))?.record).toBe(empty);
    expect(stale(heldRecord(1), read(undefined, part))).toBeUndefined();
  });

  it('is a refusal that is remembered, for as long as it is', () => {
    const missing: ObjectRecord = {
      ...recordFields(0),
      ...{ kind: 'refused', isNegative: true, status: 404, body: Buffer.alloc(0) },
    };
    expect(held(missing, read('only-if-cached'))).toBe(missing);
    expect(() => held(missing, read('only-if-cached'), 5_000)).toThrow(NotCachedError);
  });
});

it.each([
  ['"1"', true],
  ['"2"', false],
  ['Thu, 01 Jan 1970 00:00:00 GMT', false],
])('with If-Range %s what is held of the range is enough: %s', (ifRange, isEnough) => {
  const coverage = (from: number, to: number) => (from === 0 && to === 10 ? 'all' : 'some');
  const content = { sizeBytes: 100, parts: new PartMap(), coverage } as Partial<Content> as Content;
  const record = { ...recordOf(content), entityTag: '"1"', lastModifiedMs: 0 };
  const range = { kind: 'from', first: 0, last: 9 } as const;
  const ask = () => held(record, read('only-if-cached', { range, ifRange }));
  if (isEnough) expect(ask()).toBe(record);
  else expect(ask).toThrow(NotCachedError);
  expect(stale(record, read(undefined, { range, ifRange }))?.record).toBe(isEnough ? record : undefined);
});

it('what the store tells HEAD alone is no answer to GET where it fails', () => {
  const archived = heldRecord(1, { isUsableForGet: false });
  expect(stale(archived, read(undefined, { method: 'HEAD' }))?.record).toBe(archived);
  expect(stale(archived, read(undefined))).toBeUndefined();
  expect(() => held(archived, read('only-if-cached'))).toThrow(NotCachedError);
});

it.each(['no-cache', 'max-age=0', 'max-age=1000000'])(
  'who says %s gets nothing stale where the store fails',
  asked => {
    expect(stale(heldRecord(1), read(asked))).toBeUndefined();
    expect(stale(heldRecord(1), read('max-stale'))).toBeDefined();
  },
);
