import { expect, it } from 'vitest';
import { getRecordName, type ObjectRecord } from '../../../../src/cache/record.ts';
import { readContentHead } from '../../../../src/gateway/fill/content-head.ts';
import {
  lookupFresh,
  lookupRecord,
  type RecordIndex,
  storedRecordName,
} from '../../../../src/gateway/read/record-cache.ts';
import { uncacheableRecord } from '../../../../src/gateway/read/reply-record.ts';
import { readOf } from '../../../support/object-reads.ts';

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

it('the 403 of an archived object is kept for GET alone', () => {
  expect(storedRecordName(get, refusal)).toBe(getRecordName(''));
  expect([storedRecordName(get, record), storedRecordName(get, { ...refusal, status: 404 })]).toEqual([
    '',
    '',
  ]);
});
