import { StoreError, type WholeReply } from '../../backend/store.ts';

/** The object is not the one any more that is being read: what was sent of it cannot be completed. */
export class ObjectChangedError extends Error {
  readonly code = 'OBJECT_CHANGED';

  constructor(what: string) {
    super(`the object changed at the store while it was being read: ${what}`);
  }
}

/** The store answered, and not with the bytes: its answer is for the client as it is. */
export class RefusedByStoreError extends Error {
  readonly code = 'REFUSED_BY_STORE';
  readonly reply: WholeReply;

  constructor(reply: WholeReply) {
    super(`the store answered ${reply.status}`);
    this.reply = reply;
  }
}

/** The store's answer does not fit what was asked, so none of it can be trusted. */
export class InvalidReplyError extends Error {
  readonly code = 'WRONG_ANSWER';

  constructor(what: string) {
    super(`the store's answer does not fit the request: ${what}`);
  }
}

/** What a status other than 200 and 206 is, to a read that had no conditions: 304 and the like are no answer to it. */
export function refusedBy(reply: WholeReply): RefusedByStoreError | InvalidReplyError {
  const isRefusal = reply.status >= 300 && reply.status !== 304;
  return isRefusal ? new RefusedByStoreError(reply) : new InvalidReplyError(`status ${reply.status}`);
}

/** Too much is being filled and read at once to begin another fill. */
export class OverloadedError extends Error {
  readonly code = 'OVERLOADED';

  constructor() {
    super('all cache memory is being filled or read');
  }
}

/** Whether another try may go better: the connection, or the store being busy. */
export function isTransient(error: Error): boolean {
  // whoever was refused since too many waited would only make them more
  if (error instanceof StoreError) return !['INVALID', 'FAULT', 'BUSY'].includes(error.code);
  return error instanceof RefusedByStoreError && isRetryableStatus(error.reply.status);
}

/** RFC 9110 §15.6, and 429 of RFC 6585. */
export function isRetryableStatus(status: number): boolean {
  return status === 429 || status === 500 || status === 502 || status === 503 || status === 504;
}
