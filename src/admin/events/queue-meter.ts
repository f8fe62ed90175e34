import type { Clock } from '../../base/clock.ts';
import type { CounterCell, Family, Metrics } from '../../base/metrics.ts';

/**
 * What became of a message: its events were taken; it cannot be read as events; it has to come again, as a topic could not be
 * answered; or it was dealt with but the queue has kept it.
 */
type MessageOutcome = 'taken' | 'malformed' | 'failed' | 'undeleted';

const messageOutcomes: readonly MessageOutcome[] = ['taken', 'malformed', 'failed', 'undeleted'];

/** Metrics of the queue that events come from. */
export class QueueMeter {
  readonly #clock: Clock;
  readonly #messages: Family<CounterCell>;
  readonly #polls: Family<CounterCell>;
  /** When the queue was last read, or its reading began; undefined while there is none. */
  #readAtMs: number | undefined;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#messages = metrics.counter(
      'tidegate_events_queue_messages_total',
      'Messages of the queue of events, by outcome.',
      ['outcome'],
    );
    this.#polls = metrics.counter('tidegate_events_queue_polls_total', 'Questions to the queue of events.', [
      'outcome',
    ]);
    const age = metrics
      .gauge(
        'tidegate_events_queue_last_poll_age_seconds',
        'How long ago the queue of events has last answered; 0 where there is none.',
      )
      .cell();
    metrics.onSnapshot(() =>
      age.set(this.#readAtMs === undefined ? 0 : (clock.monotonicMs() - this.#readAtMs) / 1_000),
    );
  }

  begin(): void {
    for (const outcome of messageOutcomes) this.#messages.cell(outcome);
    this.#readAtMs = this.#clock.monotonicMs();
  }

  /** There is no queue any more, so nothing of it can be late. */
  end(): void {
    this.#readAtMs = undefined;
  }

  poll(outcome: 'answered' | 'failed'): void {
    this.#polls.cell(outcome).add();
    if (outcome === 'answered') this.#readAtMs = this.#clock.monotonicMs();
  }

  messages(outcome: MessageOutcome, count = 1): void {
    this.#messages.cell(outcome).add(count);
  }
}
