import type { WholeReply } from '../../backend/store.ts';

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
export class WrongAnswerError extends Error {
  readonly code = 'WRONG_ANSWER';

  constructor(what: string) {
    super(`the store's answer does not fit the request: ${what}`);
  }
}

/** Too much is being filled and read at once to begin another fill. */
export class OverloadedError extends Error {
  readonly code = 'OVERLOADED';

  constructor() {
    super('all cache memory is being filled or read');
  }
}
