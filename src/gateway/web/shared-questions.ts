import { StoreError } from '../../backend/store.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { parseRange } from '../../http/range.ts';
import { mayConfirm } from './confirmation.ts';
import { asksOtherwise } from './one-request.ts';
import type { FlightKind, Landing } from './web-flights.ts';
import type { WebRead } from './web-read.ts';

/**
 * What `read` asks the origin that may be for others as well: the whole answer, or what is held of it where that may be confirmed,
 * or a range, for who wants no more than that. What is kept for nobody is no answer to others either. Those who ask by HEAD, or whether
 * they still have it, wait for one of their kind, and then for the whole.
 */
export function kindOf(read: WebRead, stale: ReadableRecord | undefined): FlightKind | undefined {
  const { fields, directives } = read;
  if (directives?.noStore) return undefined;
  if (read.method === 'HEAD') return 'head';
  if (stale && mayConfirm(stale, fields)) return 'whole';
  if (fields.isConditional) return mayTakeWhole(read) ? 'condition' : undefined;
  if (fields.range === undefined) return 'whole';
  const isOwn = stale !== undefined || fields.ifRange !== undefined || read.isPersonal;
  return !isOwn && parseRange(fields.range).kind !== 'absent' ? 'range' : undefined;
}

/** Whether all of the answer answers `read` as well, which asks for less: it is decided here what of it the client gets. */
export function mayTakeWhole({ method, fields }: WebRead): boolean {
  if (method === 'HEAD') return true;
  const { ifMatch, ifUnmodifiedSince, range, isConditional } = fields;
  return isConditional && ifMatch === undefined && ifUnmodifiedSince === undefined && range === undefined;
}

/** Whether it may be because of what the first has sent that there is no answer for all, and `read` has sent something else. */
export function mayHaveOther(read: WebRead, landing: Landing, first: WebRead): boolean {
  if (landing.kind === 'failed')
    return landing.error instanceof StoreError && landing.error.code === 'BROKEN';
  // an origin that fails is not asked the same again
  if (landing.kind === 'stale') return landing.isOfRequest && asksOtherwise(read, first);
  if (landing.kind === 'stored' || read.directives?.noStore) return false;
  if (landing.because === 'sender') return asksOtherwise(read, first);
  return landing.because === 'request' && (!read.isPersonal || mayTakeWhole(read));
}
