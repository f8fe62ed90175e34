import { clientOf } from '../../../base/client-quota.ts';
import { StalledClientError } from '../../reply/pending-sends.ts';
import type { OtherOperation } from '../other-operation.ts';
import { expectedBytes, type PageHold } from './page-room.ts';

/** The work on one page, from the request to the store to the last byte. */
export interface PageJob {
  readonly hold: PageHold;
  /** Aborts when the client disconnects, or its page has to give way to another client's. */
  readonly signal: AbortSignal;
  /** Whether `error` is due to the client's leaving. */
  isLeaving(error: unknown): boolean;
}

/**
 * Begins the work on a page of `entries` entries, before the store is asked.
 *
 * @throws TooManyRequestsError
 * @throws OverloadedError when there is no room, and no other client holds more
 */
export function beginPage({ exchange, observer, pageRoom }: OtherOperation, entries: number): PageJob {
  const { response } = exchange;
  observer.waitsForStore(exchange);
  const end = new AbortController();
  const hold = pageRoom.take(clientOf(response.req.socket.remoteAddress), expectedBytes(entries), error => {
    exchange.failure = error;
    if (response.headersSent) response.destroy();
    else end.abort(error);
  });
  const over = () => {
    hold.release();
    end.abort();
  };
  response.once('close', over);
  // a closed response emits no second `close`
  if (response.closed) over();
  return {
    hold,
    signal: end.signal,
    isLeaving: error => end.signal.aborted && !(error instanceof StalledClientError),
  };
}
