import { type EntryTable, generationsOf } from '../../cache/entry-table.ts';
import type { Epochs } from '../../cache/epochs.ts';
import { freshUntilMs } from '../../cache/freshness.ts';
import type { Generation, GenerationIdentity } from '../../cache/generation.ts';
import { getRecordName, knowsPart, type ObjectRecord } from '../../cache/record.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** The valid records, looked up by read. A record is valid as long as the epoch of its request is current. */
export class RecordCache {
  readonly #table: EntryTable;
  readonly #epochs: Epochs;

  constructor(table: EntryTable, epochs: Epochs) {
    this.#table = table;
    this.#epochs = epochs;
  }

  /** The epoch for a request sent now. */
  epochOf(read: ObjectRead): number {
    return this.#epochs.current(read.objectKey.hash);
  }

  /** The valid record for `read`, fresh or stale. */
  lookup(read: ObjectRead): ObjectRecord | undefined {
    const records = this.#table.get(read.objectKey)?.records;
    if (!records) return undefined;
    let record = records.get(read.recordName);
    if (read.method === 'GET' && !record?.answersGet) record = records.get(getRecordName(read.recordName));
    return record?.epoch === this.epochOf(read) ? record : undefined;
  }

  /** The fresh record for `read` at `nowMs`. */
  fresh(read: ObjectRead, nowMs: number): ObjectRecord | undefined {
    const record = this.lookup(read);
    if (!record || freshUntilMs(record, read.policy, nowMs) <= nowMs) return undefined;
    return knowsPart(record, read.partNumber) ? record : undefined;
  }

  /** Stores `record`, unless a directive forbids it or the epoch was raised since the store was asked. */
  store(read: ObjectRead, record: ObjectRecord): boolean {
    const mayKeep = !(record.directives.noStore && read.policy.honourCacheControl);
    if (!mayKeep || record.epoch !== this.epochOf(read)) return false;
    const name =
      record.kind === 'refused' && record.status === 403 ? getRecordName(read.recordName) : read.recordName;
    this.#table.put(read.objectKey, name, record);
    return true;
  }

  /** The cached content, if it is the store's current one. */
  contentOf(read: ObjectRead, identity: GenerationIdentity, epoch: number): Generation | undefined {
    const entry = this.#table.peek(read.objectKey);
    if (!entry || epoch !== this.epochOf(read)) return undefined;
    for (const generation of generationsOf(entry))
      if (isSame(generation.identity, identity)) return generation;
    return undefined;
  }

  /** Removes `record`, which is outdated. */
  remove(read: ObjectRead, record: ObjectRecord): void {
    for (const name of [read.recordName, getRecordName(read.recordName)]) {
      if (this.#table.peek(read.objectKey)?.records.get(name) === record)
        this.#table.forget(read.objectKey, name);
    }
  }
}

function isSame(one: GenerationIdentity, other: GenerationIdentity): boolean {
  return (
    one.entityTag === other.entityTag &&
    one.sizeBytes === other.sizeBytes &&
    one.versionId === other.versionId
  );
}
