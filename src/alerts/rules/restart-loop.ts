import { describeDuration } from '../../base/time-text.js';
import { workerRestarts } from '../measurement/measure.ts';
import { total } from '../measurement/series.ts';
import { formatCount } from '../wording.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface RestartLoopOptions extends ConditionOptions {
  /** Restarts within the window. */
  readonly threshold: number;
  readonly windowMs: number;
}

/** Workers die as soon as they are replaced (docs/cards.md §4, 20). */
export const restartLoop: RuleDefinition<RestartLoopOptions> = {
  name: 'restartLoop',
  title: 'Workers keep dying',
  advice:
    'A worker that dies breaks off its requests and loses its part of the cache. The log has the last error of each.',
  measures: [workerRestarts],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: { severity: 'critical', threshold: 4, windowMs: 10 * 60_000, forMs: 0, clearForMs: 60_000 },
  evaluate: ({ history }, options) => {
    const restarts = total(history.increase(workerRestarts, options.windowMs).series);
    return [restarts > options.threshold ? breach(restarts, options) : { kind: 'clear', labels: {} }];
  },
  example: options => breach(6, options),
};

function breach(restarts: number, { windowMs, threshold }: RestartLoopOptions): Breach {
  const window = describeDuration(windowMs);
  return {
    kind: 'breach',
    labels: {},
    summary: `Workers died and were replaced ${formatCount(restarts)} times in the last ${window}.`,
    facts: [
      { name: 'Restarts', value: `${formatCount(restarts)} in ${window}` },
      { name: 'Allowed', value: formatCount(threshold) },
    ],
  };
}
