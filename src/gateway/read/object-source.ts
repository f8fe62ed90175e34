import type { WholeReply } from '../../backend/store.ts';
import type { ObjectRecord } from '../../cache/record.ts';
import type { ContentHead } from '../fill/content-head.ts';
import type { LookupOutcome } from '../request/cache-status.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type { RecordIndex } from './record-cache.ts';

/** A record for a read, and how it was obtained. */
export interface LookupResult extends LookupOutcome {
  readonly record: ObjectRecord;
}

/** What one request to the store has told of an object, for all who wait for it. */
export type Learned = Omit<LookupResult, 'isCollapsed' | 'how'> & {
  readonly how: 'fetched' | 'revalidated';
};

/** What a store's answer tells. @param isStored whether `record` was kept */
export function learnedOf(
  record: ObjectRecord,
  { status, isCharged }: ContentHead,
  isStored: boolean,
): Learned {
  return { record, how: 'fetched', forwarded: 'uri-miss', forwardStatus: status, isStored, isCharged };
}

/** A client that waits for a record. */
export interface Asker {
  /** Aborted when it has left; the store may then be asked no further. */
  readonly gone: AbortSignal;
  /** Whom its requests count for, see `clientOf`. */
  readonly client: string;
}

/** Where a worker looks up objects: in its own cache, or with the worker that owns them. */
export interface ObjectSource {
  /** The records that are cached here, see `lookupFresh`. */
  readonly records: RecordIndex;
  /**
   * The record for `read`, requested from the store if necessary.
   *
   * @param withChecksums whether the store is asked for all its checksums: a partial response may have omitted them
   * @param asker who waits; left out where that is nobody in particular
   * @throws RefusedByStoreError for an answer that must not be shared; StoreError when there is none; InvalidReplyError,
   * OverloadedError; NotCachedError for a client that wants only what is held; DesertedError after it has left
   */
  find(read: ObjectRead, withChecksums?: boolean, asker?: Asker): Promise<LookupResult>;
  /** `record` turned out to be outdated and must not be used again. */
  invalidate(read: ObjectRead, record: ObjectRecord): void;
  /** The store refused bytes of `record` with `reply`. */
  refusedByStore(read: ObjectRead, record: ObjectRecord, reply: WholeReply): void;
}

/** The sources of all objects. */
export interface ObjectSources {
  /** Where an object is looked up, by the hash of its key. */
  sourceOf(keyHash: number): ObjectSource;
}
