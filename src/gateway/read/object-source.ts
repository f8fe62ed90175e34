import type { WholeReply } from '../../backend/store.ts';
import type { ObjectRecord } from '../../cache/record.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type { LookupResult } from './lookup-result.ts';

/** Where a worker finds objects: with itself, for those that it owns, or with the worker that owns them. */
export interface ObjectSource {
  /** The record that answers `read` at once, without asking anybody. */
  findCached(read: ObjectRead, nowMs: number): ObjectRecord | undefined;
  /**
   * The record that answers `read`, asked of the store where need be.
   *
   * @throws RefusedByStoreError, StoreError, InvalidReplyError, OverloadedError
   */
  find(read: ObjectRead): Promise<LookupResult>;
  /** The same with all checksums that the store has, which a partial answer of the store may have left out. */
  findWithChecksums(read: ObjectRead): Promise<LookupResult>;
  /** `record` turned out not to be true any more: it is not to answer again. */
  invalidate(read: ObjectRead, record: ObjectRecord): void;
  /** The store refused the bytes of a record with `reply`. */
  refusedByStore(read: ObjectRead, reply: WholeReply): void;
}
