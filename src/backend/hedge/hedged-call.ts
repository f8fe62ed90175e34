import type { Clock, Timer } from '../../base/clock.ts';
import { isSafe } from '../resends.ts';
import type { StoreCall, StoreError, StoreReceiver, StoreReplyHead, StoreRequest } from '../store.ts';
import type { HedgePolicy } from './hedge-policy.ts';

/** What the hedged calls of one store share. */
export interface HedgeContext {
  readonly policy: HedgePolicy;
  readonly clock: Clock;
  /** Queues a request; `started` is called when it is sent. */
  readonly enter: (request: StoreRequest, receiver: StoreReceiver, started: () => void) => StoreCall;
  /**
   * Whether a second request may be sent: it makes no other call wait, the store is healthy, and the retry budget
   * allows it.
   */
  readonly mayHedge: () => boolean;
  /** Counts a second request that has ended. `won`: it was answered first. */
  readonly hedged: (outcome: 'won' | 'lost') => void;
}

/** Whether a request may be sent twice at once: a read of an object, which changes nothing. */
export function isHedged(request: StoreRequest): boolean {
  const { operation, key, bodyStream } = request;
  return isSafe(request) && operation === undefined && key !== undefined && bodyStream === undefined;
}

/** One of the two requests. */
interface Leg {
  readonly isFirst: boolean;
  call: StoreCall | undefined;
}

/**
 * A read that is sent a second time when it takes longer than most reads of this store. The first answer is used; the
 * other request is aborted, which closes its connection.
 */
export class HedgedCall implements StoreCall {
  readonly #request: StoreRequest;
  readonly #receiver: StoreReceiver;
  readonly #context: HedgeContext;
  readonly #first: Leg = { isFirst: true, call: undefined };
  /** Undefined before it is sent, and after it has failed. */
  #second: Leg | undefined;
  #winner: Leg | undefined;
  #startedMs: number | undefined;
  #timer: Timer | undefined;
  #isPaused = false;
  /** Why the first request failed; set while the second one is still awaited. */
  #failure: StoreError | undefined;
  #isOver = false;

  private constructor(request: StoreRequest, receiver: StoreReceiver, context: HedgeContext) {
    this.#request = request;
    this.#receiver = receiver;
    this.#context = context;
  }

  static send(request: StoreRequest, receiver: StoreReceiver, context: HedgeContext): StoreCall {
    const hedged = new HedgedCall(request, receiver, context);
    hedged.#enter(hedged.#first, () => hedged.#started());
    return hedged;
  }

  pause(): void {
    this.#isPaused = true;
    for (const { call } of this.#legs()) call?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const { call } of this.#legs()) call?.resume();
  }

  took(lengthBytes: number): void {
    (this.#winner ?? this.#first).call?.took(lengthBytes);
  }

  abort(): void {
    if (this.#second && !this.#winner) this.#context.hedged('lost');
    this.#end();
    for (const { call } of this.#legs()) call?.abort();
  }

  #legs(): readonly Leg[] {
    if (this.#winner) return [this.#winner];
    return this.#second ? [this.#first, this.#second] : [this.#first];
  }

  #enter(leg: Leg, started: () => void): void {
    const receiver: StoreReceiver = {
      answered: head => this.#answered(leg, head),
      arrived: chunk => this.#winner === leg && this.#receiver.arrived(chunk),
      ended: rawTrailers => {
        if (this.#winner !== leg) return;
        this.#end();
        this.#receiver.ended(rawTrailers);
      },
      failed: error => this.#failed(leg, error),
    };
    const request: StoreRequest = leg.isFirst ? this.#request : { ...this.#request, reason: 'hedge' };
    leg.call = this.#context.enter(request, receiver, started);
    if (this.#isPaused) leg.call.pause();
  }

  /** Latency is measured from here: time in the queue says nothing about the store. */
  #started(): void {
    if (this.#startedMs !== undefined || this.#isOver) return;
    const { policy, clock } = this.#context;
    this.#startedMs = clock.monotonicMs();
    const delayMs = policy.began();
    if (delayMs !== undefined) this.#timer = clock.after(delayMs, () => this.#hedge());
  }

  #hedge(): void {
    const { policy, mayHedge } = this.#context;
    if (this.#isOver || this.#winner || !policy.hasLeft || !mayHedge()) return;
    policy.take();
    this.#second = { isFirst: false, call: undefined };
    this.#enter(this.#second, () => undefined);
  }

  #answered(leg: Leg, head: StoreReplyHead): void {
    if (this.#winner || this.#isOver) return;
    // the first request may still succeed
    if (!leg.isFirst && head.status >= 500 && this.#failure === undefined) {
      leg.call?.abort();
      this.#dropSecond();
      return;
    }
    const { policy, clock } = this.#context;
    const loser = leg.isFirst ? this.#second : this.#first;
    this.#winner = leg;
    this.#timer?.cancel();
    if (this.#second) this.#context.hedged(leg.isFirst ? 'lost' : 'won');
    // where the second request won, this is the least that the first one would have taken
    if (this.#startedMs !== undefined) policy.answered(clock.monotonicMs() - this.#startedMs);
    loser?.call?.abort();
    this.#receiver.answered(head);
  }

  #failed(leg: Leg, error: StoreError): void {
    if (this.#isOver || (this.#winner && this.#winner !== leg)) return;
    const isAwaited = !this.#winner && this.#second !== undefined && this.#failure === undefined;
    if (isAwaited && leg.isFirst) {
      this.#failure = error;
      return;
    }
    if (isAwaited) {
      this.#dropSecond();
      return;
    }
    if (this.#second && !this.#winner) this.#context.hedged('lost');
    this.#end();
    this.#receiver.failed(this.#failure ?? error);
  }

  #dropSecond(): void {
    this.#second = undefined;
    this.#context.hedged('lost');
  }

  #end(): void {
    this.#isOver = true;
    this.#timer?.cancel();
  }
}
