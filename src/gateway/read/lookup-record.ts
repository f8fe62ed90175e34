import { freshUntilMs } from '../../cache/freshness.ts';
import { getRecordName, knowsPart, type ObjectRecord } from '../../cache/record.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** Records kept in memory: those of this worker's objects, or those learned from the owner of others. */
export interface RecordIndex {
  /** The record kept under `name` for the object of `read`; the look-up counts as a use. */
  recordNamed(read: ObjectRead, name: string): ObjectRecord | undefined;
  /** The epoch that a valid record has. */
  epochOf(read: ObjectRead): number;
}

/** The valid record for `read`, fresh or stale. A record is valid as long as the epoch of its request is current. */
export function lookupRecord(index: RecordIndex, read: ObjectRead): ObjectRecord | undefined {
  let record = index.recordNamed(read, read.recordName);
  if (read.method === 'GET' && !record?.isUsableForGet)
    record = index.recordNamed(read, getRecordName(read.recordName));
  return record?.epoch === index.epochOf(read) ? record : undefined;
}

/** The record that answers `read` at `nowMs` without a question to the store. */
export function lookupFresh(index: RecordIndex, read: ObjectRead, nowMs: number): ObjectRecord | undefined {
  const record = lookupRecord(index, read);
  if (!record || freshUntilMs(record, read.policy, nowMs) <= nowMs) return undefined;
  const { partNumber } = read;
  return partNumber === undefined || knowsPart(record, partNumber) ? record : undefined;
}

/** The name under which `record` is kept: HEAD has another answer than GET for an archived object. */
export function storedRecordName(read: ObjectRead, record: ObjectRecord): string {
  return record.kind === 'refused' && record.status === 403
    ? getRecordName(read.recordName)
    : read.recordName;
}
