import type { Clock } from '../base/clock.ts';
import type { Faults } from '../base/faults.ts';
import type { Breaker } from './breaker/breaker.ts';
import type { CallQueue } from './call-queue.ts';
import type { ErrorBodyLimits } from './error-body.ts';
import type { OriginReceiver } from './origin-call.ts';
import type { OutageLog } from './outage-log.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { StoreReplyHead, StoreRequest } from './store.ts';
import type { BackendMeter } from './store-meter.ts';
import type { TransferLimits } from './transfer-watch.ts';

/** A request on its way to the store, and its answer. */
export interface SentRequest {
  pause(): void;
  resume(): void;
  abort(): void;
}

/** What the calls of one store share. */
export interface CallContext {
  readonly queue: CallQueue;
  readonly clock: Clock;
  readonly meter: BackendMeter;
  /**
   * Limits of reads. Writes have one limit, of 60 s or more without any progress (`WRITE_ANSWER_MS`): some
   * stores send white space until they know the result.
   */
  readonly limits: TransferLimits;
  /** Bounds how many calls are sent again. */
  readonly budget: RetryBudget;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Refuses calls while the store fails; undefined: none are refused. */
  readonly breaker?: Breaker | undefined;
  /** Receives exceptions that receivers throw from `failed`. */
  readonly faults?: Pick<Faults, 'note'> | undefined;
  /** Logs when requests begin to fail, and when they work again. */
  readonly outages?: Pick<OutageLog, 'answered' | 'refused' | 'failed'> | undefined;
  readonly send: (request: StoreRequest, receiver: OriginReceiver) => SentRequest;
  /** The head of an answer; a text that says why if it cannot be used. */
  readonly readHead: (status: number, rawHeaders: readonly string[]) => StoreReplyHead | string;
  /** Whether an answer of 2xx may come before the body of its request has ended. */
  readonly mayAcceptEarly: boolean;
  /** Whether the gateway signs requests with keys of its own, which the store may refuse. */
  readonly isSigned: boolean;
  /** Where the bodies of errors end, whatever the store sends; undefined: where it ends them. */
  readonly errorBody: ErrorBodyLimits | undefined;
}
