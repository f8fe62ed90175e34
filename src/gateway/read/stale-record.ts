import { StoreError, type StoreErrorCode } from '../../backend/store.ts';
import { servedOnErrorUntilMs } from '../../cache/freshness.ts';
import type { ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import { selectRange } from '../../http/range.ts';
import { RefusedByStoreError } from '../fill/fill-error.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type { LookupResult } from './object-source.ts';

/** The store, or the way to it, has failed. Not UNSIGNED: the gateway may have lost the right to read the object. */
const failures: ReadonlySet<StoreErrorCode> = new Set([
  'UNREACHABLE',
  'TIMEOUT',
  'BROKEN',
  'INVALID',
  'BUSY',
  'CIRCUIT_OPEN',
]);

/** Whether the store has failed to answer, rather than refused (RFC 5861 §4): 403 and 404 are answers. */
export function isFailureOfStore(error: unknown): boolean {
  if (error instanceof StoreError) return failures.has(error.code);
  return error instanceof RefusedByStoreError && [500, 502, 503, 504].includes(error.reply.status);
}

/**
 * The stale record that answers `read` although the store has failed with `error` to confirm it; undefined where there is
 * none, or some of the bytes that are read are not held.
 *
 * @param known what is held now: a purge or a write may have overtaken the question
 */
export function staleAnswer(
  known: ObjectRecord | undefined,
  read: ObjectRead,
  error: unknown,
  nowMs: number,
): LookupResult | undefined {
  if (known?.kind !== 'readable' || !isFailureOfStore(error)) return undefined;
  if (servedOnErrorUntilMs(known, read.policy, nowMs) <= nowMs || !holdsWhatIsRead(known, read))
    return undefined;
  return {
    record: known,
    how: 'stale',
    forwarded: 'stale',
    forwardStatus: error instanceof RefusedByStoreError ? error.reply.status : undefined,
    isCollapsed: false,
    isStored: false,
    isCharged: false,
  };
}

/** Whether all bytes are held that `read` needs: an answer that has begun can only be cut off when the store fails. */
function holdsWhatIsRead(
  { content, sizeBytes, isUsableForGet }: ReadableRecord,
  { method, partNumber, range }: ObjectRead,
): boolean {
  const part = partNumber === undefined ? undefined : content.parts.get(partNumber);
  // an empty object has one part
  if (partNumber !== undefined && part === undefined && sizeBytes > 0) return false;
  if (method === 'HEAD') return true;
  if (!isUsableForGet) return false;
  if (part) return content.coverage(part.first, part.last + 1) === 'all';
  const selection = selectRange(range, sizeBytes);
  if (selection.kind === 'unsatisfiable' || sizeBytes === 0) return true;
  const [from, to] = selection.kind === 'part' ? [selection.first, selection.last + 1] : [0, sizeBytes];
  return content.coverage(from, to) === 'all';
}
