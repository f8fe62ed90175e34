import { sendAndCollect } from '../../backend/collected-reply.ts';
import type { Store, StoreRequest, WholeReply } from '../../backend/store.ts';
import { clientOf } from '../../base/client-quota.ts';
import type { RoomHold } from '../../base/fair-room.ts';
import type { Turn } from '../../base/fair-turns.ts';
import type { Steps } from '../../base/sliced-work.ts';
import { clientAddressOf } from '../../transport/peer.ts';
import { RefusedByStoreError } from '../fill/fill-error.ts';
import { mayBePassed } from '../reply/client-names.ts';
import { StalledClientError } from '../reply/pending-sends.ts';
import { replyRefusal } from '../reply/refusal-reply.ts';
import type { Bucket } from '../request/bucket.ts';
import type { Listings } from './listing/listings.ts';
import { sendPage } from './listing/send-page.ts';
import type { OtherOperation } from './other-operation.ts';

/** A store that takes longer for a page than this does not hold up others; its pages are bounded by `Listings.room`. */
const ASK_TURN_MS = 200;

/** What a job is for. */
type JobParts = Pick<OtherOperation, 'exchange' | 'observer' | 'listings'> & {
  /** Undefined for a request to the service, for which no refusal of a store is passed on. */
  readonly bucket: Bucket | undefined;
};

/** One document that the gateway reads and rewrites, such as a listing, from the request to the last byte. */
export class DocumentJob {
  readonly #other: JobParts;
  readonly #listings: Listings;
  readonly #client: string;
  readonly #end = new AbortController();
  readonly #hold: RoomHold;
  #turn: Turn | undefined;
  #keptBytes = 0;

  /** @throws TooManyRequestsError */
  constructor(other: JobParts) {
    const { exchange, observer, listings } = other;
    const { response } = exchange;
    this.#other = other;
    this.#listings = listings;
    this.#client = clientOf(clientAddressOf(response.req));
    observer.waitsForStore(exchange);
    this.#hold = listings.room.begin(this.#client, () => this.#giveWay());
    const over = () => {
      this.#hold.release();
      this.#end.abort();
      this.#turn?.end();
    };
    response.once('close', over);
    // a closed response emits no second `close`
    if (response.closed) over();
  }

  /** Whether the client has disconnected. */
  get hasClientLeft(): boolean {
    return this.#other.exchange.response.closed;
  }

  /**
   * Counts `sizeBytes` more as held until the answer is sent.
   *
   * @throws OverloadedError
   */
  keep(sizeBytes: number): void {
    this.#keptBytes += sizeBytes;
    this.#hold.resize(this.#keptBytes);
  }

  /**
   * Asks the store for a page, when it is this client's turn. What is no refusal comes without addresses at the store.
   *
   * @throws OverloadedError, StalledClientError, StoreError
   */
  async ask(store: Pick<Store, 'send'>, request: StoreRequest, limitBytes: number): Promise<WholeReply> {
    this.#turn?.end();
    const turn = await this.#listings.asks.take(this.#client, this.#end.signal);
    this.#turn = turn;
    // the client may have left when the turn had just been given
    if (this.#end.signal.aborted) turn.end();
    const timer = this.#listings.clock.after(ASK_TURN_MS, () => turn.end());
    const limits = { limitBytes, grew: (sizeBytes: number) => this.#grew(sizeBytes) };
    const asked = { ...request, client: this.#client, trace: this.#other.exchange.trace };
    try {
      const reply = await sendAndCollect(store, asked, limits, this.#end.signal);
      // a refusal is not read: its client may be slow to take it
      if (reply.status !== 200) turn.end();
      return this.#withoutAddresses(reply);
    } catch (error) {
      turn.end();
      throw error;
    } finally {
      timer.cancel();
    }
  }

  /** Reads the store's last answer, when it is this client's turn. `sizeOf` tells what is kept of it, in bytes. */
  async read<Result>(work: Steps<Result>, sizeOf: (result: Result) => number): Promise<Result> {
    try {
      const result = await this.#listings.pages.take(this.#client, work, this.#end.signal);
      this.keep(sizeOf(result));
      return result;
    } finally {
      this.#turn?.end();
    }
  }

  /**
   * Counts `reply` as held during `work`, which asks the store again: the answer may be `reply` nevertheless.
   *
   * @throws OverloadedError
   */
  async keepWhile<Result>({ body }: WholeReply, work: () => Promise<Result>): Promise<Result> {
    this.#keptBytes += body.length;
    try {
      this.#hold.resize(this.#keptBytes);
      return await work();
    } finally {
      this.#keptBytes -= body.length;
    }
  }

  /** Writes the page for the client. */
  write(work: Steps<Buffer>): Promise<Buffer> {
    return this.#listings.pages.inSlices(work, this.#end.signal);
  }

  /** Answers with a page; resolves when the client has taken it or has left. */
  async send(page: WholeReply): Promise<void> {
    const { exchange, observer } = this.#other;
    this.#keptBytes = 0;
    await sendPage(exchange, page, observer.sends, this.#hold);
  }

  /**
   * Ends the request once its page was `sent`, or could not be: a refusal of the store is passed on.
   *
   * @param mayKnowMissing whether a missing key may be reported as missing
   */
  finish(sent: Promise<void>, mayKnowMissing: boolean): void {
    const { exchange, bucket, observer } = this.#other;
    const fail = (error: unknown) => {
      if (this.hasClientLeft) exchange.hasClientLeft = true;
      else if (error instanceof RefusedByStoreError && bucket)
        replyRefusal(exchange, bucket, error.reply, mayKnowMissing);
      else throw error;
    };
    sent
      .catch(fail)
      .then(() => observer.sent(exchange))
      .catch(error => exchange.refuse(error));
  }

  #withoutAddresses(reply: WholeReply): WholeReply {
    const { bucket } = this.#other;
    if (!bucket || reply.status >= 300) return reply;
    return { ...reply, fields: reply.fields.filter(field => mayBePassed(field, bucket)) };
  }

  /** The body that is being collected takes `sizeBytes` of memory. */
  #grew(sizeBytes: number): void {
    try {
      this.#hold.resize(this.#keptBytes + sizeBytes);
    } catch (error) {
      this.#end.abort(error);
    }
  }

  #giveWay(): void {
    const { exchange } = this.#other;
    const error = new StalledClientError();
    exchange.failure = error;
    if (exchange.response.headersSent) exchange.response.destroy();
    else this.#end.abort(error);
  }
}
