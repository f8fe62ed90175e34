import type { Clock } from '../base/clock.ts';
import type { CounterCell, Family, GaugeCell, HistogramCell, Metrics } from '../base/metrics.ts';
import type { CallQueue } from './call-queue.ts';
import type { QueueVerdict } from './queue-entry.ts';
import type { StoreRequest } from './store.ts';

/** The metrics of one request to a store. */
export interface MeasuredCall {
  answered(status: number): void;
  arrived(bytes: number): void;
  failed(reason: string): void;
  /** Aborted by the gateway; counted as `aborted` if no answer had begun. */
  aborted(): void;
}

const firstByteBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type MeasuredRequest = Pick<StoreRequest, 'method' | 'operation'>;

/** Counts requests to the stores and their answers. */
export class StoreMeter {
  readonly #clock: Clock;
  readonly #requests: Family<CounterCell>;
  readonly #bytes: Family<CounterCell>;
  readonly #firstByte: Family<HistogramCell>;
  readonly #retries: Family<CounterCell>;
  readonly #refused: Family<CounterCell>;
  readonly #calls: Family<GaugeCell>;
  readonly #metrics: Metrics;

  constructor(metrics: Metrics, clock: Clock) {
    this.#metrics = metrics;
    this.#clock = clock;
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
  }

  /** Starts measuring a request to `backend`. */
  begin(backend: string, { method, operation = objectOperation(method) }: MeasuredRequest): MeasuredCall {
    const startedMs = this.#clock.monotonicMs();
    const bytes = this.#bytes.cell(backend);
    let isCounted = false;
    const count = (status: string) => {
      if (!isCounted) this.#requests.cell(backend, operation, status).add();
      isCounted = true;
    };
    return {
      answered: status => {
        this.#firstByte.cell(backend).observe((this.#clock.monotonicMs() - startedMs) / 1000);
        count(String(status));
      },
      arrived: lengthBytes => bytes.add(lengthBytes),
      failed: reason => count(reason.toLowerCase()),
      aborted: () => count('aborted'),
    };
  }

  /** Exports the states of the calls in `queue` with every metrics snapshot. */
  watch(backend: string, queue: CallQueue): void {
    this.#metrics.onSnapshot(() => {
      const counts = queue.counts();
      for (const state of ['waiting', 'unanswered', 'transferring', 'paused'] as const)
        this.#calls.cell(backend, state).set(counts[state]);
    });
  }

  /** Counts a call to `backend` that was refused or aborted by its queue. */
  refused(backend: string, verdict: QueueVerdict): void {
    this.#refused.cell(backend, verdict).add();
  }

  /** Counts a repeated request to `backend`. */
  retried(backend: string, reason: string): void {
    this.#retries.cell(backend, reason).add();
  }
}

function objectOperation(method: string): string {
  return method === 'HEAD' ? 'HeadObject' : 'GetObject';
}
