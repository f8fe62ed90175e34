import { servedOnErrorUntilMs } from '../../cache/freshness.ts';
import type { ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import { staleUse } from '../../cache/reuse.ts';
import { ifRangeHolds, isDated } from '../../http/preconditions.ts';
import { type Selection, selectRange } from '../../http/range.ts';
import type { RequestDirectives } from '../../http/request-directives.ts';
import { NotCachedError, RefusedByStoreError } from '../fill/fill-error.ts';
import { cacheHit } from '../request/cache-status.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type { LookupResult } from './object-source.ts';
import { lookupFresh, lookupRecord, type RecordIndex } from './record-cache.ts';
import { isFailureOfStore } from './store-failure.ts';

/**
 * The record that answers `read` although the store has failed with `error` to confirm it; undefined where there is none,
 * or some of the bytes that are read are not held.
 *
 * @param known what is held now: a purge or a write may have overtaken the question
 */
export function staleAnswer(
  known: ObjectRecord | undefined,
  read: ObjectRead,
  error: unknown,
  nowMs: number,
): LookupResult | undefined {
  if (known?.kind !== 'readable' || known.isWithdrawn || !isFailureOfStore(error)) return undefined;
  if (asksForConfirmed(read.directives)) return undefined;
  if (servedOnErrorUntilMs(known, read.policy, nowMs) <= nowMs || !holdsWhatIsRead(known, read))
    return undefined;
  return {
    record: known,
    how: 'stale',
    staleUse: 'stale-if-error',
    forwarded: 'stale',
    forwardStatus: error instanceof RefusedByStoreError ? error.reply.status : undefined,
    isCollapsed: false,
    isStored: false,
    isCharged: false,
  };
}

/**
 * The record that answers `read` although it is stale, without waiting for the store; undefined where there is none, or some
 * of the bytes that are read are not held.
 */
function unconfirmedAnswer(
  known: ObjectRecord | undefined,
  read: ObjectRead,
  nowMs: number,
): LookupResult | undefined {
  if (known?.kind !== 'readable' || known.isWithdrawn || !holdsWhatIsRead(known, read)) return undefined;
  const use = staleUse(known, read.policy, read.directives, nowMs);
  return use && { ...cacheHit, record: known, how: 'stale', staleUse: use };
}

/** The answer that needs no question to the store: a fresh record, or a stale one that may be served. */
export function answerAtOnce(
  records: RecordIndex,
  read: ObjectRead,
  nowMs: number,
): LookupResult | undefined {
  const record = lookupFresh(records, read, nowMs);
  return record ? { record, ...cacheHit } : unconfirmedAnswer(lookupRecord(records, read), read, nowMs);
}

/** The answer to a client that takes only what is held (RFC 9111 §5.2.1.7). @throws NotCachedError */
export function heldAnswer(records: RecordIndex, read: ObjectRead, nowMs: number): LookupResult {
  const answer = answerAtOnce(records, read, nowMs);
  const record = answer?.record;
  const isHeld = record?.kind === 'refused' || (record?.kind === 'readable' && holdsWhatIsRead(record, read));
  if (answer && isHeld) return answer;
  throw new NotCachedError();
}

/** Whether the client wants what the store has just confirmed, or nothing older than it says (RFC 9111 §5.2.1). */
export function asksForConfirmed(directives: RequestDirectives | undefined): boolean {
  if (!directives) return false;
  return directives.noCache || directives.maxAgeS !== undefined || directives.minFreshS !== undefined;
}

/** Whether all bytes are held that `read` needs: an answer that has begun can only be cut off when the store fails. */
export function holdsWhatIsRead(
  record: ReadableRecord,
  { method, partNumber, range, ifRange }: Pick<ObjectRead, 'method' | 'partNumber' | 'range' | 'ifRange'>,
): boolean {
  const { content, sizeBytes, isUsableForGet } = record;
  const part = partNumber === undefined ? undefined : content.parts.get(partNumber);
  // an empty object has one part
  if (partNumber !== undefined && part === undefined && sizeBytes > 0) return false;
  if (method === 'HEAD') return true;
  if (!isUsableForGet) return false;
  if (part) return content.coverage(part.first, part.last + 1) === 'all';
  const selection = mayLeadToWhole(ifRange, record) ? whole : selectRange(range, sizeBytes);
  if (selection.kind === 'unsatisfiable' || sizeBytes === 0) return true;
  const [from, to] = selection.kind === 'part' ? [selection.first, selection.last + 1] : [0, sizeBytes];
  return content.coverage(from, to) === 'all';
}

const whole: Selection = { kind: 'whole' };

/** A date does not hold where the content might have gone out in another coding as well. */
function mayLeadToWhole(ifRange: string | undefined, record: ReadableRecord): boolean {
  return ifRange !== undefined && (isDated(ifRange) || !ifRangeHolds(ifRange, record));
}
