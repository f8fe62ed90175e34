import { beforeEach, describe, expect, it } from 'vitest';
import type { Generation } from '../../../../src/cache/generation.ts';
import { getRecordName, type ObjectRecord, type ReadableRecord } from '../../../../src/cache/record.ts';
import { allocateSharedMemory } from '../../../../src/cache/shared-memory.ts';
import { readContentHead } from '../../../../src/gateway/fill/content-head.ts';
import {
  lookupFresh,
  lookupRecord,
  type RecordIndex,
  storedRecordName,
} from '../../../../src/gateway/read/record-cache.ts';
import { uncacheableRecord } from '../../../../src/gateway/read/reply-record.ts';
import type { ObjectRead } from '../../../../src/gateway/request/object-read.ts';
import { Succession } from '../../../../src/gateway/request/succession.ts';
import { WorkerCache } from '../../../../src/gateway/workers/worker-cache.ts';
import { parseRequestDirectives } from '../../../../src/http/request-directives.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { readOf } from '../../../support/object-reads.ts';
import { recordOf } from '../../../support/records.ts';

const get = readOf('k');
const head = readOf('k', { method: 'HEAD' });
const base = { requestedMs: 0, receivedMs: 0, epoch: 3, barrier: 0, isUnsettled: false } as const;
const record = uncacheableRecord(readContentHead({ status: 200, fields: [] }), {
  ...base,
  method: 'GET',
});
const forHead: ObjectRecord = { ...record, isUsableForGet: false };
const refusal: ObjectRecord = {
  ...record,
  kind: 'refused',
  isNegative: true,
  status: 403,
  body: Buffer.alloc(0),
};

function indexOf(records: Readonly<Record<string, ObjectRecord>>, epoch = 3): RecordIndex {
  return { recordNamed: (_read, name) => records[name], epochOf: () => epoch };
}

it('GET and HEAD share a record that answers both', () => {
  const index = indexOf({ '': record });
  expect([lookupRecord(index, get), lookupRecord(index, head)]).toEqual([record, record]);
});

it('a GET has a record of its own where HEAD has another answer, or none', () => {
  const both = indexOf({ '': forHead, [getRecordName('')]: refusal });
  expect([lookupRecord(both, get), lookupRecord(both, head)]).toEqual([refusal, forHead]);
  expect(lookupRecord(indexOf({ '': forHead }), get)).toBeUndefined();
  const alone = indexOf({ [getRecordName('')]: refusal });
  expect([lookupRecord(alone, get), lookupRecord(alone, head)]).toEqual([refusal, undefined]);
});

it('a record of another epoch is not valid', () => {
  expect(lookupRecord(indexOf({ '': record }, 4), get)).toBeUndefined();
});

it('a stale record is found, but answers nothing', () => {
  const index = indexOf({ '': record });
  const ttlMs = get.policy.ttlMs;
  expect(lookupFresh(index, get, ttlMs - 1)).toBe(record);
  expect(lookupFresh(index, get, ttlMs)).toBeUndefined();
  expect(lookupRecord(index, get)).toBe(record);
});

it('what a client asks of the cache does not concern what is not kept', () => {
  const asked = { ...get, directives: parseRequestDirectives('no-cache, max-age=0', undefined) };
  expect(lookupFresh(indexOf({ '': record }), asked, 0)).toBe(record);
  expect(lookupFresh(indexOf({ '': refusal }), asked, 0)).toBeUndefined();
});

it('the 403 of an archived object is kept for GET alone', () => {
  expect(storedRecordName(get, refusal)).toBe(getRecordName(''));
  expect([storedRecordName(get, record), storedRecordName(get, { ...refusal, status: 404 })]).toEqual([
    '',
    '',
  ]);
});

describe('of an object that is held', () => {
  let byVersion: ObjectRead;
  const identity = { objectKey: get.objectKey.text, versionId: 'v1', entityTag: '"t"', sizeBytes: 100 };
  let cache: WorkerCache;
  let held: Generation;

  const asking = (read: ObjectRead) => {
    const { records } = cache.objects;
    return { read, number: records.begin(read), ...records.askedNow(read) };
  };

  /** What an answer that was asked for now says of the object. */
  const answerNow = (read: ObjectRead): ReadableRecord => ({
    ...recordOf(held),
    ...{ versionId: 'v1', tagSlots: [7], ...cache.objects.records.askedNow(read) },
  });

  beforeEach(() => {
    cache = new WorkerCache({
      memory: allocateSharedMemory(8 * 1024 * 1024, 1024 * 1024, 1),
      ...{ worker: 0, recordBytes: 100_000, clock: new ManualClock() },
      ...{ random: () => 0.5, retried: () => undefined },
    });
    byVersion = readOf('k', { versionId: 'v1' });
    held = cache.create(byVersion, identity);
    expect(cache.objects.records.store(asking(byVersion), answerNow(byVersion))).toBe('stored');
  });

  it('bytes that were asked for by version still are, when it is read without one', () => {
    expect(cache.objects.records.contentOf(get, identity, answerNow(get))).toBe(held);
    expect(held.asked).toMatchObject({ versionId: 'v1' });
  });

  it('what is asked for a bucket that a reload has moved is not kept, and shared with nobody', () => {
    const { records } = cache.objects;
    const { succession, epochs } = byVersion.bucket;
    succession.replacedBy(new Succession(), new Set([epochs.bucketSlot]));
    const late = answerNow(byVersion);
    expect(records.contentOf(byVersion, identity, late)).toBeUndefined();
    expect([records.store(asking(byVersion), late), records.isStillAsked(byVersion, late)]).toEqual([
      'unwanted',
      false,
    ]);
  });

  it('its tags are looked at for what was asked before a purge alone, though it has many records with many', () => {
    const { records, table } = { records: cache.objects.records, table: cache.table };
    let looks = 0;
    const counted = {
      ...answerNow(byVersion),
      get tagSlots() {
        looks++;
        return [4];
      },
    };
    table.put(byVersion.objectKey, 'counted', counted);
    const late = readOf('k');
    const [asked, other] = [asking(late), asking(late)];
    const answer = { ...answerNow(late), tagSlots: [] };
    looks = 0;
    expect(records.store(asked, answer)).toBe('stored');
    expect(looks).toBe(0);
    cache.barriers.raise({ kind: 'tag', slot: 4 }, 'soft', 0);
    expect(records.store(other, answer)).toBe('unwanted');
    expect(looks).toBeGreaterThan(0);
  });

  it('law 5: a purge of a tag of what was learned since means the answer, too', () => {
    const { records } = cache.objects;
    const asked = asking(get);
    const answer = { ...answerNow(get), tagSlots: [] };
    expect(records.store(asking(byVersion), { ...answerNow(byVersion), tagSlots: [9] })).toBe('stored');
    cache.barriers.raise({ kind: 'tag', slot: 9 }, 'soft', 0);
    expect(records.store(asked, answer)).toBe('unwanted');
  });

  const overtakings = {
    write: () => cache.epochs.raise(get.objectKey.keySlot),
    'purge by key': () => cache.barriers.raise({ kind: 'key', objectKey: get.objectKey }, 'hard', 0),
    'purge by tag': () => cache.barriers.raise({ kind: 'tag', slot: 7 }, 'hard', 0),
  };

  describe.each(['write', 'purge by key', 'purge by tag'] as const)(
    'law 5: an answer that a %s overtook',
    how => {
      it('has nothing of a content that was learned since, and no say in how that is asked for', () => {
        const late = { ...byVersion, variant: { ...byVersion.variant, requestPayer: 'requester' } };
        const answer = answerNow(late);
        overtakings[how]();
        held = cache.create(byVersion, identity);
        expect(cache.objects.records.store(asking(byVersion), answerNow(byVersion))).toBe('stored');
        expect(cache.objects.records.contentOf(late, identity, answer)).toBeUndefined();
        expect(held.asked).toEqual({ versionId: 'v1', requestPayer: undefined });
        expect(cache.objects.records.contentOf(late, identity, answerNow(late))).toBe(held);
      });

      it('is not stored, and takes the place of nothing that was learned since', () => {
        const late = answerNow(get);
        overtakings[how]();
        const since = {
          ...answerNow(get),
          content: cache.create(get, { ...identity, entityTag: '"since"' }),
        };
        expect(cache.objects.records.store(asking(get), since)).toBe('stored');
        expect(cache.objects.records.store(asking(get), late)).toBe('unwanted');
        expect(lookupRecord(cache.objects.records, get)).toBe(since);
      });
    },
  );
});
