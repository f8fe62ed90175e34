import type { CounterCell, GaugeCell, Metrics } from '../../base/metrics.ts';

/**
 * The result of a post: `delivered`, or a failure. `folded` counts notifications within delivered digests, `unwritable`
 * those that could not be rendered, `dropped` those beyond the limit of the queue.
 */
export type CardOutcome =
  | 'delivered'
  | 'folded'
  | 'throttled'
  | 'retried'
  | 'too-large'
  | 'refused'
  | 'unwritable'
  | 'dropped';

const outcomes: readonly CardOutcome[] = [
  'delivered',
  'folded',
  'throttled',
  'retried',
  'too-large',
  'refused',
  'unwritable',
  'dropped',
];

/** Metrics of the senders. */
export class CardMetrics {
  readonly #outcomes: ReadonlyMap<CardOutcome, CounterCell>;
  readonly #waiting: GaugeCell;

  constructor(metrics: Metrics) {
    const family = metrics.counter('tidegate_cards_total', 'Cards posted to webhooks, by what came of it', [
      'outcome',
    ]);
    this.#outcomes = new Map(outcomes.map(outcome => [outcome, family.cell(outcome)]));
    this.#waiting = metrics.gauge('tidegate_cards_waiting', 'Cards in the outbox', []).cell();
  }

  count(outcome: CardOutcome, cards = 1): void {
    this.#outcomes.get(outcome)?.add(cards);
  }

  setWaiting(cards: number): void {
    this.#waiting.set(cards);
  }
}
