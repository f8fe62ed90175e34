import type { Timer } from '../base/clock.ts';
import { CallReport } from './breaker/call-report.ts';
import { CallClient } from './call-client.ts';
import type { CallContext, SentRequest } from './call-context.ts';
import { outcomeOf } from './call-outcome.ts';
import { CallTally } from './call-tally.ts';
import { ClientPace } from './client-pace.ts';
import { ErrorBody } from './error-body.ts';
import type { OriginReceiver } from './origin-call.ts';
import { errorFor, objectOf, type QueueEntry, type QueueVerdict } from './queue-entry.ts';
import { isSafe, Resends } from './resends.ts';
import { faultOf, type StoreCall, StoreError, type StoreReceiver, type StoreRequest } from './store.ts';
import { TransferWatch } from './transfer-watch.ts';

/**
 * A call to a store, from the queue to the end of the answer. It
 *
 * - waits for its turn, and gives its connection up when the queue says so (`CallQueue`);
 * - is aborted when it is too slow (`TransferWatch`); the body of an error ends at its limits (`ErrorBody`);
 * - is refused while the store fails, and tells how it has ended (`Breaker`);
 * - is sent again, if the caller wants that, when it can have done nothing at the store (`Resends`);
 * - isolates exceptions of its receiver: they abort and fail this call, and no other one.
 */
export class QueuedCall implements StoreCall, OriginReceiver, QueueEntry {
  readonly object: string;
  readonly isTimed: boolean;
  isAnswered = false;
  readonly #client: CallClient;
  readonly #request: StoreRequest;
  readonly #receiver: StoreReceiver;
  readonly #context: CallContext;
  #state: 'waiting' | 'refused' | 'sent' | 'resting' | 'answered' | 'aborted' | 'over' = 'waiting';
  #sent: SentRequest | undefined;
  #sends = 0;
  readonly #resends: Resends;
  readonly #report: CallReport;
  #resend: Timer | undefined;
  #isGivenUp = false;
  readonly #tally: CallTally;
  #watch: TransferWatch | undefined;
  readonly #pace: ClientPace;
  #startedMs = 0;
  #sentMs = 0;
  #errorBody: ErrorBody | undefined;

  constructor(request: StoreRequest, receiver: StoreReceiver, context: CallContext) {
    this.object = objectOf(request);
    this.#client = new CallClient(request, () => context.queue.share(this));
    this.isTimed = isSafe(request);
    this.#request = request;
    this.#receiver = receiver;
    this.#context = context;
    this.#pace = new ClientPace(context.clock);
    this.#resends = new Resends(request, context);
    this.#report = new CallReport(context.breaker, request);
    this.#tally = new CallTally(request, context);
  }

  get client(): string | undefined {
    return this.#client.name;
  }

  get silentSinceMs(): number | undefined {
    return this.isAnswered || !this.isTimed ? undefined : this.#startedMs;
  }

  get pausedSinceMs(): number | undefined {
    return this.#pace.slowSinceMs;
  }

  get keptUntilMs(): number | undefined {
    return this.#pace.keptUntilMs;
  }

  start(): void {
    const { limits, clock, breaker } = this.#context;
    if (breaker?.isRefusing) {
      this.endedBy('open');
      return;
    }
    this.#startedMs = clock.monotonicMs();
    const watched = this.isTimed ? limits : { ...limits, headMs: undefined };
    this.#watch = new TransferWatch(watched, clock, () =>
      this.#giveUp(new StoreError('TIMEOUT', 'the store answers too slowly', undefined, 'TOO_SLOW')),
    );
    this.#request.bodyStream?.follow(this.#pace);
    this.#send();
  }

  pause(): void {
    this.#pace.pause();
    this.#watch?.unwanted();
    this.#sent?.pause();
  }

  resume(): void {
    if (!this.#pace.isPaused || this.#isOver) return;
    this.#pace.resume();
    this.#watch?.wanted();
    this.#sent?.resume();
  }

  took(lengthBytes: number): void {
    this.#pace.took(lengthBytes);
  }

  stoodStill(durationMs: number): void {
    this.#pace.stoodStill(durationMs);
  }

  abort(): void {
    if (!this.#end()) return;
    this.#state = 'aborted';
    this.#stopSending();
    this.#context.queue.leave(this);
  }

  endedBy(verdict: QueueVerdict): void {
    if (verdict === 'open') this.#context.meter.refused(verdict);
    const error = errorFor(verdict, this.#context.queue.isStoreSilent);
    if (this.#state === 'waiting') this.#refuse(error);
    else this.#giveUp(error);
  }

  informed(status: number, rawHeaders: readonly string[]): void {
    if (this.#state === 'sent') this.#receiver.informed?.(status, rawHeaders);
  }

  answered(status: number, rawHeaders: readonly string[]): void {
    if (this.#state !== 'sent') return;
    const { clock, queue, readHead, budget } = this.#context;
    const nowMs = clock.monotonicMs();
    this.#tally.answered(status, nowMs - this.#sentMs);
    budget.answered();
    const head = readHead(status, rawHeaders);
    if (typeof head === 'string' || !this.#mayAnswer(status)) {
      const what = typeof head === 'string' ? `sent ${head}` : 'accepted a body before its end';
      this.#giveUp(new StoreError('INVALID', `the store ${what}`, undefined));
      return;
    }
    this.#state = 'answered';
    this.isAnswered = true;
    this.#report.answered(status);
    queue.answered(this, this.isTimed ? nowMs - this.#startedMs : undefined);
    this.#errorBody = ErrorBody.of(status, this.#request, this.#context, () => this.#cut());
    // what is limited in time is not measured: when it is too slow, the status stays the answer
    this.#watch?.answered(this.#errorBody === undefined && (this.isTimed || status >= 300));
    if (this.#pace.isPaused) this.#watch?.unwanted();
    try {
      this.#tally.accepted(status);
      this.#receiver.answered(head);
    } catch (error) {
      this.#thrown(error);
    }
  }

  arrived(chunk: Buffer): void {
    if (this.#state !== 'answered') return;
    this.#tally.arrived(chunk);
    this.#watch?.arrived(chunk.length);
    this.#report.arrived(chunk);
    try {
      this.#receiver.arrived(chunk);
    } catch (error) {
      this.#thrown(error);
    }
    if (this.#state === 'answered') this.#errorBody?.arrived(chunk.length);
  }

  ended(rawTrailers?: readonly string[]): void {
    if (this.#state === 'sent')
      this.failed(new StoreError('INVALID', 'the store ended the response without a head', undefined));
    if (!this.#end()) return;
    this.#report.ended();
    this.#tally.ended();
    try {
      this.#receiver.ended(rawTrailers);
    } catch (error) {
      this.#tellFailure(faultOf(error));
    }
    this.#context.queue.leave(this);
  }

  failed(error: StoreError): void {
    if (this.#isOver || this.#state === 'waiting') return;
    this.#tally.failed(outcomeOf(error));
    if (this.#sendAgain(error)) return;
    this.#end();
    this.#report.failed(error);
    this.#tellFailure(error);
    this.#context.queue.leave(this);
  }

  #send(): void {
    const { clock, send } = this.#context;
    this.#state = 'sent';
    this.#sentMs = clock.monotonicMs();
    this.#tally.sent();
    const sends = ++this.#sends;
    let sent: SentRequest;
    try {
      sent = send(this.#request, this);
    } catch (error) {
      this.#refuse(error instanceof StoreError ? error : faultOf(error));
      return;
    }
    // it may have failed in `send` and been sent again
    if (sends !== this.#sends) return;
    this.#sent = sent;
    if (this.#isOver) this.#stopSending();
    else if (this.#pace.isPaused) sent.pause();
  }

  /** A store may refuse a body before it has arrived whole, but not accept it. A web origin may (RFC 9110 §7.5). */
  #mayAnswer(status: number): boolean {
    const isEarly = this.#request.bodyStream?.stream.readableEnded === false;
    return status >= 300 || !isEarly || this.#context.mayAcceptEarly;
  }

  /** Sends the call again after `error`, now or later; false if it may not be repeated. */
  #sendAgain(error: StoreError): boolean {
    const { clock, meter, breaker } = this.#context;
    // the store may have failed for others meanwhile
    if (this.#state !== 'sent' || this.#isGivenUp || breaker?.isRefusing) return false;
    const delayMs = this.#resends.delayMs(error, clock.monotonicMs() - this.#startedMs);
    if (delayMs === undefined) return false;
    meter.retried(error.code.toLowerCase());
    if (delayMs === 0) this.#send();
    else {
      this.#state = 'resting';
      this.#sent = undefined;
      this.#resend = clock.after(delayMs, () => this.#send());
    }
    return true;
  }

  /** Aborts the call; the receiver fails with `error`. */
  #giveUp(error: StoreError): void {
    this.#isGivenUp = true;
    this.#sent?.abort();
    this.failed(error);
  }

  /** The receiver has thrown `error`. It is told so even if it aborted the call before: others may wait for it. */
  #thrown(error: unknown): void {
    if (this.#state === 'answered') {
      this.#giveUp(faultOf(error));
      return;
    }
    const isUntold = this.#state === 'aborted';
    this.#state = 'over';
    if (isUntold) this.#tellFailure(faultOf(error));
    this.#context.faults?.note(error);
  }

  #cut(): void {
    this.#stopSending();
    this.ended();
  }

  #stopSending(): void {
    if (!this.#sent) return;
    this.#tally.failed('aborted');
    this.#sent.abort();
  }

  /** Fails asynchronously: the caller may not have received the call object yet. */
  #refuse(error: StoreError): void {
    if (!this.#end()) return;
    this.#state = 'refused';
    this.#context.queue.leave(this);
    queueMicrotask(() => {
      if (this.#state === 'refused') this.#tellFailure(error);
    });
  }

  #tellFailure(error: StoreError): void {
    try {
      this.#context.outages?.failed(error);
      this.#receiver.failed(error);
    } catch (fault) {
      this.#context.faults?.note(fault);
    }
  }

  get #isOver(): boolean {
    return this.#state === 'over' || this.#state === 'aborted' || this.#state === 'refused';
  }

  /** False when it had already ended. */
  #end(): boolean {
    const isOver = this.#isOver;
    this.#state = 'over';
    this.#watch?.end();
    this.#errorBody?.end();
    this.#resend?.cancel();
    this.#client.end();
    return !isOver;
  }
}
