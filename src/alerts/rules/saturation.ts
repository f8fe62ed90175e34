import { describeDuration } from '../../base/time-text.js';
import { shedRequests } from '../measurement/measure.ts';
import { total } from '../measurement/series.ts';
import { formatCount } from '../wording.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface SaturationOptions extends ConditionOptions {
  /** Refused requests within the window. */
  readonly threshold: number;
  readonly windowMs: number;
}

/** The gateway has no capacity left and refuses requests (docs/cards.md §4, 21). */
export const saturation: RuleDefinition<SaturationOptions> = {
  name: 'saturation',
  title: 'The gateway has no capacity left',
  advice:
    'Requests are answered with SlowDown because slow readers pin the memory, or limits.requests, limits.requestsPerAddress, limits.requestsPerAccessKey or limits.connectionsPerAccessKey is reached (tidegate_requests_shed_total tells which). Add memory, workers or another gateway, or raise the limit.',
  measures: [shedRequests],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: {
    severity: 'critical',
    threshold: 0,
    windowMs: 60_000,
    forMs: 2 * 60_000,
    clearForMs: 2 * 60_000,
  },
  evaluate: ({ history }, options) => {
    const shed = total(history.increase(shedRequests, options.windowMs).series);
    return [shed > options.threshold ? breach(shed, options) : { kind: 'clear', labels: {} }];
  },
  example: options => breach(57, options),
};

function breach(shed: number, { windowMs, threshold }: SaturationOptions): Breach {
  const window = describeDuration(windowMs);
  return {
    kind: 'breach',
    labels: {},
    summary: `${formatCount(shed)} requests were refused for lack of capacity in the last ${window}.`,
    facts: [
      { name: 'Refused', value: `${formatCount(shed)} in ${window}` },
      { name: 'Allowed', value: formatCount(threshold) },
    ],
  };
}
