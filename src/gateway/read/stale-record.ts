import { servedOnErrorUntilMs } from '../../cache/freshness.ts';
import type { ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import { selectRange } from '../../http/range.ts';
import { RefusedByStoreError } from '../fill/fill-error.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type { LookupResult } from './object-source.ts';
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
