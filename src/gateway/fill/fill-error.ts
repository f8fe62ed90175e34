import { isRetryableStatus, StoreError, type StoreErrorCode, type WholeReply } from '../../backend/store.ts';

/** The object changed during the read: the response cannot be completed. */
export class ObjectChangedError extends Error {
  readonly code = 'OBJECT_CHANGED';

  constructor(what: string) {
    super(`the object changed at the store while it was being read: ${what}`);
  }
}

/** The store refused the request; its answer is passed to the client. */
export class RefusedByStoreError extends Error {
  readonly code = 'REFUSED_BY_STORE';
  readonly reply: WholeReply;

  constructor(reply: WholeReply) {
    super(`the store answered ${reply.status}`);
    this.reply = reply;
  }
}

/** The store's answer contradicts the request, so none of it can be trusted. */
export class InvalidReplyError extends Error {
  readonly code = 'WRONG_ANSWER';

  constructor(what: string) {
    super(`the store's answer does not fit the request: ${what}`);
  }
}

/** The error for a status other than 200, and than the 206 that was asked for, in answer to what has no condition. */
export function refusedBy(reply: WholeReply): RefusedByStoreError | InvalidReplyError {
  return isRefusal(reply.status)
    ? new RefusedByStoreError(reply)
    : new InvalidReplyError(`status ${reply.status}`);
}

/** Whether a status refuses an unconditional read; a 304, or a 2xx other than 200 and 206, is an invalid answer to it. */
export function isRefusal(status: number): boolean {
  return status >= 300 && status !== 304;
}

/**
 * The worker that owns the object has died or is blocked, or knows nothing of its bucket any more. Other workers read the object
 * themselves until it is replaced.
 */
export class OwnerLostError extends StoreError {
  constructor(what: string) {
    super('BUSY', `the worker that owns the object ${what}`, undefined);
  }
}

/** The client takes only what is cached (RFC 9111 §5.2.1.7), and that does not answer it. */
export class NotCachedError extends Error {
  readonly code = 'NOT_CACHED';

  constructor() {
    super('what is cached does not answer this request, which says only-if-cached');
  }
}

/** All who waited for the answer to a question have left, so the store is not asked any further. */
export class DesertedError extends Error {
  readonly code = 'DESERTED';

  constructor() {
    super('all who waited for the answer have left');
  }
}

/** All cache memory is in use; no further fill can start. */
export class OverloadedError extends Error {
  readonly code = 'OVERLOADED';

  constructor() {
    super('all cache memory is being filled or read');
  }
}

const transientCodes: ReadonlySet<StoreErrorCode> = new Set(['UNREACHABLE', 'TIMEOUT', 'BROKEN']);

/** Whether a retry may succeed: connection errors, and a busy store. */
export function isTransient(error: Error): boolean {
  // not BUSY: a retry of a call refused for overload would add to the overload
  if (error instanceof StoreError) return transientCodes.has(error.code);
  return error instanceof RefusedByStoreError && isRetryableStatus(error.reply.status);
}
