import type { CounterCell, Family, GaugeCell, HistogramCell, Metrics } from '../base/metrics.ts';
import type { Breaker, BreakerChange } from './breaker/breaker.ts';
import { breakerStates } from './breaker/breaker-word.ts';
import type { REFUSED, UnansweredOutcome } from './call-outcome.ts';
import type { CallQueue } from './call-queue.ts';
import type { QueueVerdict } from './queue-entry.ts';
import type { StoreRequest } from './store.ts';

const firstByteBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 30, 60];

type CountedRequest = Pick<StoreRequest, 'method' | 'operation'>;

/** Counts the requests to one backend and their answers. */
export interface BackendMeter {
  /** The head of the answer has arrived, `durationMs` after the request. */
  answered(request: CountedRequest, status: number, durationMs: number): void;
  /** The same of an answer that is counted later, when more of it is known. */
  answering(durationMs: number): void;
  arrived(lengthBytes: number): void;
  /** Counts a request that ended without an answer, or one of `answering`. */
  ended(request: CountedRequest, how: UnansweredOutcome | typeof REFUSED | number): void;
  /** A call was refused or aborted by its queue. */
  readonly refused: (verdict: QueueVerdict) => void;
  /** A request was repeated. */
  retried(reason: string): void;
  /** Counts a second (hedged) request that has ended. `won`: it was answered first. */
  hedged(outcome: 'won' | 'lost'): void;
}

/** Counts requests to the stores and their answers. */
export class StoreMeter {
  readonly #requests: Family<CounterCell>;
  readonly #bytes: Family<CounterCell>;
  readonly #firstByte: Family<HistogramCell>;
  readonly #retries: Family<CounterCell>;
  readonly #hedges: Family<CounterCell>;
  readonly #failures: Family<CounterCell>;
  readonly #refused: Family<CounterCell>;
  readonly #calls: Family<GaugeCell>;
  readonly #breakerStates: Family<GaugeCell>;
  readonly #breakerChanges: Family<CounterCell>;
  readonly #refusedOpen: Family<CounterCell>;
  readonly #breakers = new Map<string, Breaker>();
  /** The queues of each backend: the one in use, and those of replaced stores that still have calls. */
  readonly #queues = new Map<string, readonly CallQueue[]>();

  constructor(metrics: Metrics) {
    this.#requests = metrics.counter(
      'tidegate_backend_requests_total',
      'Requests sent to a backend, by the status it answered or the way they ended without one.',
      ['backend', 'operation', 'status'],
    );
    this.#bytes = metrics.counter('tidegate_backend_bytes_total', 'Body bytes received from a backend.', [
      'backend',
    ]);
    this.#firstByte = metrics.histogram(
      'tidegate_backend_first_byte_seconds',
      'Time from a request to the head of the answer of a backend.',
      ['backend'],
      firstByteBounds,
    );
    this.#retries = metrics.counter(
      'tidegate_backend_retries_total',
      'Requests to a backend that were tried again.',
      ['backend', 'reason'],
    );
    this.#hedges = metrics.counter(
      'tidegate_backend_hedges_total',
      'Second (hedged) requests for slow reads, by whether they were answered first.',
      ['backend', 'outcome'],
    );
    this.#failures = metrics.counter(
      'tidegate_backend_failures_total',
      'Failed requests to a backend, by the name of the cause.',
      ['backend', 'cause'],
    );
    this.#refused = metrics.counter(
      'tidegate_backend_queue_refused_total',
      'Calls that got or kept no connection to a backend since others waited for it.',
      ['backend', 'reason'],
    );
    this.#calls = metrics.gauge(
      'tidegate_backend_calls',
      'Calls to a backend: waiting for a connection, unanswered, transferring, or paused since clients take nothing.',
      ['backend', 'state'],
    );
    this.#breakerStates = metrics.gauge(
      'tidegate_backend_breaker_state',
      'The circuit breaker of a backend: 0 closed, 1 half-open, 2 open.',
      ['backend'],
      // one state for all threads
      'max',
    );
    this.#breakerChanges = metrics.counter(
      'tidegate_backend_breaker_transitions_total',
      'Changes of the circuit breaker of a backend, by the new state.',
      ['backend', 'state'],
    );
    this.#refusedOpen = metrics.counter(
      'tidegate_backend_breaker_refused_total',
      'Calls to a backend that were refused because its circuit breaker was open.',
      ['backend'],
    );
    metrics.onSnapshot(() => {
      for (const [backend, { state }] of this.#breakers)
        this.#breakerStates.cell(backend).set(breakerStates.indexOf(state.kind));
      for (const [backend, queues] of this.#queues) this.#showCalls(backend, queues);
    });
  }

  /** Exports the states of the calls in `queue` with every metrics snapshot. */
  watch(backend: string, queue: CallQueue): void {
    this.#queues.set(backend, [queue, ...(this.#queues.get(backend) ?? [])]);
  }

  /** Exports the state of `breaker` with every metrics snapshot. */
  watchBreaker(backend: string, breaker: Breaker): void {
    this.#breakers.set(backend, breaker);
  }

  breakerChanged(backend: string, { to }: BreakerChange): void {
    this.#breakerChanges.cell(backend, to).add();
  }

  /** The metrics of the calls to `backend`. */
  backend(name: string): BackendMeter {
    const bytes = this.#bytes.cell(name);
    const firstByte = this.#firstByte.cell(name);
    const count = (request: CountedRequest, status: string | number) =>
      this.#requests.cell(name, operationOf(request), String(status)).add();
    const answering = (durationMs: number) => firstByte.observe(durationMs / 1000);
    return {
      answered: (request, status, durationMs) => {
        answering(durationMs);
        count(request, status);
      },
      answering,
      arrived: lengthBytes => bytes.add(lengthBytes),
      ended: count,
      refused: verdict =>
        (verdict === 'open' ? this.#refusedOpen.cell(name) : this.#refused.cell(name, verdict)).add(),
      retried: reason => this.retried(name, reason),
      hedged: outcome => this.#hedges.cell(name, outcome).add(),
    };
  }

  /** Counts a failure of `backend`; `cause` is the name of an error, so there are not many. */
  failed(backend: string, cause: string): void {
    this.#failures.cell(backend, cause).add();
  }

  /** Counts a repeated request to `backend`. */
  retried(backend: string, reason: string): void {
    this.#retries.cell(backend, reason).add();
  }

  #showCalls(backend: string, queues: readonly CallQueue[]): void {
    const counts = queues.map(queue => queue.counts());
    for (const state of callStates) {
      const inAll = counts.reduce((sum, count) => sum + count[state], 0);
      this.#calls.cell(backend, state).set(inAll);
    }
    const isBusy = (index: number) => callStates.some(state => (counts[index]?.[state] ?? 0) > 0);
    this.#queues.set(
      backend,
      queues.filter((_, index) => index === 0 || isBusy(index)),
    );
  }
}

const callStates = ['waiting', 'unanswered', 'transferring', 'paused'] as const;

function operationOf({ method, operation }: CountedRequest): string {
  return operation ?? (method === 'HEAD' ? 'HeadObject' : 'GetObject');
}
