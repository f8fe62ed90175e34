import { type StoreCall, StoreError, type StoreReceiver, type StoreReplyHead } from '../../backend/store.ts';
import type { Asked, ReadableRecord } from '../../cache/record.ts';
import type { Vary } from '../../http/vary.ts';
import { fieldValue, type HeaderField } from '../../s3/dialect.ts';
import { ExpectedBytes, type RangeReceiver } from '../fill/ranged-read.ts';
import type { ClientBody } from '../pass/write/client-body.ts';
import type { Forwarded } from '../request/cache-status.ts';
import type { CollectedBody } from './collected-body.ts';
import { unconditionalFields } from './confirmation.ts';
import type { AloneBecause } from './one-request.ts';
import { type AnswerTimes, readWebHead, varyingBy, type WebHead } from './stored-answer.ts';
import type { WaitingClient } from './waiting-client.ts';
import type { WebFlight } from './web-flight.ts';
import type { WebRead } from './web-read.ts';

/** What becomes of an answer, decided by its head. */
export type AnswerPlan =
  /** Its bytes go into the content of a record, from which the client is answered. */
  | { readonly kind: 'fill'; readonly receiver: RangeReceiver | undefined; readonly lengthBytes: number }
  /** The client gets it as it comes; if it ends, it is kept. */
  | {
      readonly kind: 'collect';
      readonly body: CollectedBody;
      /** What was known when it was learned, if not that of the question. */
      readonly asked?: Asked;
    }
  /** The client gets it as it comes. */
  | { readonly kind: 'pass' }
  /** The client was answered otherwise. */
  | { readonly kind: 'unwanted' }
  /** A 304 may be about something else than was asked: the whole answer is asked for, which varies by `selectors` as well. */
  | { readonly kind: 'again'; readonly selectors: Vary };

/** Decides what becomes of the answer to a request. */
export interface WebFetchOwner {
  answered(fetch: WebFetch, head: WebHead, times: AnswerTimes): AnswerPlan;
  /** All of a collected body has come. */
  collected(fetch: WebFetch, head: WebHead, body: CollectedBody, times: AnswerTimes): void;
  /** A body that was collected is longer than what is kept. */
  tooLong(fetch: WebFetch, head: WebHead): void;
  /** A body that was collected is not kept: its rest does not come, or there is no room for it. */
  unkept(fetch: WebFetch, head: WebHead, times: AnswerTimes): void;
  /** There is no answer. False when the client is to be told so. */
  failed(fetch: WebFetch, error: StoreError): boolean;
  /** The request was cut off before its answer. */
  abandoned(fetch: WebFetch): void;
  /**
   * All is over of a request whose answer began before its body had ended.
   *
   * @param isWhole whether both have ended well
   */
  overAfterEarly(fetch: WebFetch, head: WebHead, times: AnswerTimes, isWhole: boolean): void;
}

export interface WebQuestion {
  readonly read: WebRead;
  readonly method: string;
  readonly fields: readonly HeaderField[];
  readonly target: string;
  readonly asked: Omit<AnswerTimes, 'receivedMs'>;
  /** What is held, and the answer may end. */
  readonly stale: ReadableRecord | undefined;
  /** The same, if that is what the origin is asked to confirm. */
  readonly confirmed: ReadableRecord | undefined;
  /** Whether `stale` may be what others select, and not this request. */
  readonly mayBeOther?: boolean;
  /** Set where others may wait for the answer. */
  readonly flight: WebFlight | undefined;
  /** Who waits for the answer; undefined where the client was answered before. */
  readonly client: WaitingClient | undefined;
  /** Whether the client does not want the answer to be stored. */
  readonly isUnkept: boolean;
  /** Why the origin is asked, as clients are told. */
  readonly forwarded: Forwarded;
  readonly body: ClientBody | undefined;
}

/** One request to a web origin, and the way of its answer to the client, into the cache, or both. */
export class WebFetch implements StoreReceiver {
  question: WebQuestion;
  readonly #owner: WebFetchOwner;
  readonly #nowMs: () => number;
  #call: StoreCall | undefined;
  #head: WebHead | undefined;
  #times: AnswerTimes | undefined;
  #plan: AnswerPlan | undefined;
  #bytes: ExpectedBytes | undefined;
  /** What the answer varies by, whatever it says itself. */
  #selectors: Vary = [];
  /** Whether the whole answer is asked for once the 304 is over, so that its connection is at hand. */
  #asksAgain = false;
  /** Whether the answer has begun before the body of the request had ended. */
  #isEarly = false;

  constructor(question: WebQuestion, owner: WebFetchOwner, nowMs: () => number) {
    this.question = question;
    this.#owner = owner;
    this.#nowMs = nowMs;
  }

  get #answer(): WaitingClient | undefined {
    return this.question.client;
  }

  get call(): StoreCall | undefined {
    return this.#call;
  }

  send(): void {
    const { read, method, fields, target, body, client } = this.question;
    const { operation, trace } = read.request;
    this.#call = read.bucket.store.send(
      {
        ...{ method, operation, bucket: undefined, key: undefined, query: '' },
        ...{ target, fields, trace, isResent: true },
        // what nobody in particular waits for has places of its own
        ...(client && { client: read.client.quota }),
        ...(body && { bodyStream: body }),
      },
      this,
    );
  }

  /** The client has left. What others wait for goes on while they do: else slow answers would take all connections. */
  left(): void {
    const { flight } = this.question;
    // an extent looks for readers itself
    if (this.#plan?.kind === 'fill') return;
    if (flight?.isAwaited) flight.deserted = () => this.left();
    else {
      this.abort();
      flight?.land({ kind: 'alone', because: 'lost' });
    }
  }

  abort(): void {
    this.#dropCollected();
    this.#call?.abort();
    this.#over();
    if (!this.#plan) this.#owner.abandoned(this);
  }

  informed(status: number, rawHeaders: readonly string[]): void {
    this.#answer?.inform(status, rawHeaders);
  }

  answered(reply: StoreReplyHead): void {
    const head = varyingBy(readWebHead(reply), this.#selectors);
    const { body } = this.question;
    this.#isEarly = body !== undefined && !body.isSent;
    // an origin that accepts a body may answer while it reads it
    if (head.status >= 300) body?.leave();
    this.#head = head;
    this.#times = { ...this.question.asked, receivedMs: this.#nowMs() };
    const plan = this.#owner.answered(this, head, this.#times);
    if (plan.kind === 'again') {
      this.#selectors = plan.selectors;
      this.#asksAgain = true;
      return;
    }
    this.#plan = plan;
    if (plan.kind === 'fill' && plan.receiver)
      this.#bytes = new ExpectedBytes(plan.receiver, 0, plan.lengthBytes);
    else if (plan.kind === 'unwanted' ? mayHaveBody(head) : plan.kind === 'fill' && plan.lengthBytes > 0)
      this.#call?.abort();
    else if (plan.kind === 'pass' || plan.kind === 'collect') this.#answer?.begin(head, this.question.read);
    if (plan.kind === 'pass') this.#followClient();
  }

  /** From now on the client alone gets the answer, if it still wants it. */
  #followClient(): void {
    if (!this.#call) return;
    if (this.#answer?.isWaiting) this.#answer.follow(this.#call);
    else this.#call.abort();
  }

  /** The time of the question stays: what has changed since is not known to be in the answer. */
  #askForAll(): void {
    const { question } = this;
    this.#asksAgain = false;
    const fields = unconditionalFields(question.fields);
    this.question = { ...question, confirmed: undefined, mayBeOther: true, fields };
    this.send();
  }

  arrived(chunk: Buffer): void {
    if (this.#bytes) {
      this.#bytes.arrived(chunk);
      return;
    }
    const kept = Buffer.from(chunk);
    if (this.#plan?.kind === 'collect') {
      const { flight } = this.question;
      if (flight) flight.cameBytes += kept.length;
      const added = this.#plan.body.add(kept);
      if (added === 'too-long' && this.#head) this.#owner.tooLong(this, this.#head);
      if (added !== 'kept') this.#goOnPassing(added === 'too-long' ? 'answer' : 'lost');
    }
    if (this.#plan?.kind === 'pass' || this.#plan?.kind === 'collect') this.#answer?.write(kept);
  }

  ended(rawTrailers?: readonly string[]): void {
    if (this.#asksAgain) {
      this.#askForAll();
      return;
    }
    if (this.#bytes) {
      this.#bytes.ended();
      return;
    }
    const [plan, head, times] = [this.#plan, this.#head, this.#times];
    if (plan?.kind === 'collect' && head && times)
      this.#owner.collected(this, head, plan.body, { ...times, ...plan.asked });
    if (plan?.kind === 'pass' || plan?.kind === 'collect') this.#answer?.end(rawTrailers);
    this.#over(true);
  }

  failed(error: StoreError): void {
    if (this.#asksAgain) {
      this.#askForAll();
      return;
    }
    if (this.#bytes) {
      this.#bytes.failed(error);
      return;
    }
    this.#dropCollected();
    if (this.#plan) this.#answer?.fail(error);
    else if (!this.#owner.failed(this, error)) this.#answer?.fail(error);
    this.question.flight?.land({ kind: 'failed', error, isBegun: this.#plan !== undefined });
    this.#over();
  }

  /** The body of the request is not what the client declared, or broke off. */
  refuse(error: unknown): void {
    this.abort();
    this.#answer?.fail(error);
  }

  /** The body is not kept: from now on the client alone gets it. */
  #goOnPassing(because: AloneBecause): void {
    this.#dropCollected();
    this.#plan = { kind: 'pass' };
    this.question.flight?.land({ kind: 'alone', because });
    this.#followClient();
  }

  #over(isEnded = false): void {
    const [{ body }, head, times] = [this.question, this.#head, this.#times];
    const isWhole = isEnded && body?.isSent === true;
    body?.stop();
    if (!this.#isEarly || !head || !times) return;
    this.#isEarly = false;
    this.#owner.overAfterEarly(this, head, times, isWhole);
  }

  #dropCollected(): void {
    const [plan, head, times] = [this.#plan, this.#head, this.#times];
    if (plan?.kind !== 'collect') return;
    plan.body.drop();
    if (head && times) this.#owner.unkept(this, head, times);
  }
}

/** Whether bytes may follow: what has none ends by itself, and leaves its connection for the next. */
function mayHaveBody({ status, fields }: WebHead): boolean {
  return status !== 304 && fieldValue(fields, 'content-length') !== '0';
}

/** Whether a failure says that the origin cannot answer at the moment (RFC 5861 §4). */
export function isFailure(error: unknown): boolean {
  return error instanceof StoreError && error.code !== 'FAULT';
}
