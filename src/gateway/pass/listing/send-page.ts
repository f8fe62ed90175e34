import type { WholeReply } from '../../../backend/store.ts';
import type { RoomHold } from '../../../base/fair-room.ts';
import { cutOff } from '../../../transport/cut-off.ts';
import { sendQueueOf } from '../../../transport/stream-response.ts';
import type { PendingSend, PendingSends } from '../../reply/pending-sends.ts';
import { replyAsStored } from '../../reply/refusal-reply.ts';
import type { Exchange } from '../../request/exchange.ts';

/**
 * Answers with a page that was written for this client; resolves when the connection has taken it or is gone. Pages are
 * up to several MiB each, so what clients have not taken of them is bounded (`Listings.room`).
 *
 * @throws OverloadedError when there is no room for it
 */
export async function sendPage(
  exchange: Exchange,
  page: WholeReply,
  sends: PendingSends,
  hold: RoomHold,
): Promise<void> {
  const { response } = exchange;
  const send = new PageSend(exchange, page.body.length);
  hold.resize(send.ownBytes);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  response.once('close', resolve);
  // a closed response emits no second `close`
  if (response.closed) resolve();
  sends.watch(send);
  try {
    replyAsStored(exchange, page);
    await closed;
  } finally {
    sends.forget(send);
    response.off('close', resolve);
  }
  exchange.hasClientLeft = !response.writableFinished && exchange.failure === undefined;
}

class PageSend implements PendingSend {
  readonly loan = undefined;
  readonly ownBytes: number;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, ownBytes: number) {
    this.#exchange = exchange;
    this.ownBytes = ownBytes;
  }

  get socket(): object | null {
    return sendQueueOf(this.#exchange.response);
  }

  cutOff(error: Error): void {
    this.#exchange.failure = error;
    cutOff(this.#exchange.response);
  }
}
