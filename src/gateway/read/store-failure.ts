import { NO_ANSWER, StoreError, type StoreErrorCode } from '../../backend/store.ts';
import { InvalidReplyError, isRefusal, RefusedByStoreError } from '../fill/fill-error.ts';

/**
 * Codes that mean the store, or the way to it, has failed. Not UNSIGNED: the gateway may have lost the right to read
 * the object.
 */
const failures: ReadonlySet<StoreErrorCode> = new Set([
  'UNREACHABLE',
  'TIMEOUT',
  'BROKEN',
  'INVALID',
  'BUSY',
  'CIRCUIT_OPEN',
]);

/** Whether the store failed, rather than refused (RFC 5861 §4): 403 and 404 are answers. */
export function isFailureOfStore(error: unknown): boolean {
  if (error instanceof StoreError) return failures.has(error.code);
  return error instanceof RefusedByStoreError && isFailingStatus(error.reply.status);
}

/**
 * What a request was, how long, or how many there are, rather than whether the object may be read (RFC 9110 §15.5, RFC
 * 6585).
 */
const aboutRequests: ReadonlySet<number> = new Set([408, 412, 413, 414, 416, 425, 429, 431]);

/** Whether an answer with `status` says that an object is not to be read, or is not there. */
export function withdrawsObject(status: number): boolean {
  return isRefusal(status) && status < 500 && !aboutRequests.has(status);
}

/** RFC 5861 §4. */
export function isFailingStatus(status: number): boolean {
  return status === 500 || status === 502 || status === 503 || status === 504;
}

/**
 * Whether the fallback store may be asked instead. Not when this gateway's own call limit is the cause: it would only
 * move the load to the fallback.
 */
export function mayFallBack(error: unknown): boolean {
  const isOwn = error instanceof StoreError && error.code === 'BUSY' && error.reason !== NO_ANSWER;
  return isFailureOfStore(error) && !isOwn;
}

/** Whether the store request itself failed. */
export function isStoreFailure(error: unknown): error is StoreError | InvalidReplyError {
  return error instanceof StoreError || error instanceof InvalidReplyError;
}
