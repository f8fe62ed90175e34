import { NOBODY_ASKED, StoreError } from '../../backend/store.ts';
import {
  InvalidReplyError,
  ObjectChangedError,
  OverloadedError,
  OwnerLostError,
  RefusedByStoreError,
} from '../fill/fill-error.ts';

/** Statuses that say that the origin cannot answer at the moment (RFC 5861 §4). */
const failures: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** Failures of requests that the origin has got nothing of. */
const neverSent: ReadonlySet<StoreError['code']> = new Set([
  ...(['UNREACHABLE', 'BUSY', 'CIRCUIT_OPEN', 'UNSIGNED'] as const),
]);

/** Whether an answer of this status says that the origin cannot answer at the moment. */
export function tellsFailure(status: number): boolean {
  return failures.has(status);
}

/**
 * Whether `error`, with which the rest of what is held could not be had, says that what is held is of no use any more: it has changed,
 * or the origin refuses the rest. That the origin fails, or that there is no room, says nothing of it.
 */
export function endsHeld(error: unknown): boolean {
  return error instanceof ObjectChangedError || error instanceof InvalidReplyError;
}

/** Whether `error` says that the origin cannot give the rest at the moment, or there is no room for it. */
export function restFails(error: unknown): boolean {
  if (error instanceof OwnerLostError || endsHeld(error)) return false;
  if (error instanceof StoreError && error.reason === NOBODY_ASKED) return false;
  return [StoreError, RefusedByStoreError, OverloadedError].some(kind => error instanceof kind);
}

/** Whether the origin has got nothing of the request that has failed so: then it has changed nothing. */
export function wasNeverSent({ code }: StoreError): boolean {
  return neverSent.has(code);
}
