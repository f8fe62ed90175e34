import type { CallContext, SentRequest } from '../../src/backend/call-context.ts';
import type { CallQueue } from '../../src/backend/call-queue.ts';
import type { OriginReceiver } from '../../src/backend/origin-call.ts';
import { QueuedCall } from '../../src/backend/queued-call.ts';
import { RetryBudget } from '../../src/backend/retry-budget.ts';
import { ERROR_BODY_LIMIT_BYTES, type StoreReceiver, type StoreRequest } from '../../src/backend/store.ts';
import { StoreMeter } from '../../src/backend/store-meter.ts';
import type { Clock } from '../../src/base/clock.ts';
import { Metrics } from '../../src/base/metrics.ts';

interface QueuedCallParts {
  readonly queue: CallQueue;
  readonly clock: Clock;
  /** Takes the place of the connection. */
  readonly send: (receiver: OriginReceiver) => SentRequest;
  readonly more?: Partial<CallContext>;
}

/** A read that has not entered its queue; it is not interpreted, so an answer is its status alone. */
export function queuedCall(
  request: Partial<StoreRequest>,
  receiver: StoreReceiver,
  { queue, clock, send, more }: QueuedCallParts,
): QueuedCall {
  const asked: StoreRequest = { method: 'GET', bucket: 'b', key: 'k', query: '', fields: [], ...request };
  return new QueuedCall(asked, receiver, {
    queue,
    clock,
    meter: new StoreMeter(new Metrics()).backend('main'),
    ...{ budget: new RetryBudget(8), random: () => 0.5 },
    limits: { headMs: undefined, minRateBytes: 0, windowMs: 1_000 },
    send: (_request, told) => send(told),
    readHead: status => ({ status, fields: [] }),
    mayAcceptEarly: false,
    isSigned: false,
    errorBody: { lengthBytes: ERROR_BODY_LIMIT_BYTES, durationMs: 5_000 },
    ...more,
  });
}

/** A connection for a queued call: notes what it is told to do, and lets a test answer. */
export class NotedConnection {
  readonly did: string[] = [];
  /** Undefined until the call was sent. */
  answer: OriginReceiver | undefined;

  readonly send = (told: OriginReceiver): SentRequest => {
    this.did.push('send');
    this.answer = told;
    return {
      pause: () => void this.did.push('pause'),
      resume: () => void this.did.push('resume'),
      abort: () => void this.did.push('abort'),
    };
  };
}
