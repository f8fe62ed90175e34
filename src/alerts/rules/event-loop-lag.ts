import { describeDuration } from '../../base/time-text.js';
import { eventLoopLagSeconds } from '../measurement/measure.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface EventLoopLagOptions extends ConditionOptions {
  /** The allowed 99th percentile of the time that a thread delays requests. */
  readonly thresholdMs: number;
}

/** A thread is so busy that all its requests are delayed (docs/cards.md §4, 21). */
export const eventLoopLag: RuleDefinition<EventLoopLagOptions> = {
  name: 'eventLoopLag',
  title: 'A thread is too busy',
  advice:
    'Every request on this thread waits this much longer. Add workers, or look for other processes that use the processor.',
  measures: [eventLoopLagSeconds],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: { severity: 'warning', thresholdMs: 200, forMs: 2 * 60_000, clearForMs: 2 * 60_000 },
  evaluate: ({ history }, options) =>
    history
      .current(eventLoopLagSeconds)
      .map(({ value }) =>
        value * 1_000 > options.thresholdMs ? breach(value * 1_000, options) : { kind: 'clear', labels: {} },
      ),
  example: options => breach(412, options),
};

function breach(lagMs: number, { thresholdMs }: EventLoopLagOptions): Breach {
  return {
    kind: 'breach',
    labels: {},
    summary: `The busiest thread keeps requests waiting for ${describeDuration(lagMs)}.`,
    facts: [
      { name: 'Event loop lag', value: `${describeDuration(lagMs)} (99th percentile)` },
      { name: 'Allowed', value: describeDuration(thresholdMs) },
    ],
  };
}
