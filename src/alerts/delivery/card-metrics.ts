import type { CounterCell, GaugeCell, Metrics } from '../../base/metrics.ts';

/**
 * What came of a post: `delivered`, or one of the failures. `folded` counts the notices within delivered digests,
 * `unwritable` those that no card could be made of, `dropped` those that were too many to wait.
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

/** The sender's own figures. */
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
