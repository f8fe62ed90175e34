import { describeDuration } from '../../base/time-text.js';
import { backendRetries } from '../measurement/measure.ts';
import { byLabel, total } from '../measurement/series.ts';
import { formatCount, formatRate } from '../wording.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface RetryStormOptions extends ConditionOptions {
  /** Retries per second. */
  readonly threshold: number;
  readonly windowMs: number;
}

/** So many requests are retried that the retries themselves overload the backend (docs/cards.md §4, 8). */
export const retryStorm: RuleDefinition<RetryStormOptions> = {
  name: 'retryStorm',
  title: 'Requests to a backend are retried again and again',
  advice:
    'Clients notice little so far, but the store gets several times the requests. Find out why it refuses or breaks off before it is overloaded.',
  measures: [backendRetries],
  inhibitedBy: ['backendUnreachable'],
  inhibitAfterMs: ({ windowMs }) => windowMs,
  defaults: {
    severity: 'warning',
    threshold: 10,
    windowMs: 60_000,
    forMs: 2 * 60_000,
    clearForMs: 2 * 60_000,
  },
  evaluate: ({ history }, options) => {
    const { series, coveredMs } = history.increase(backendRetries, options.windowMs);
    return Array.from(byLabel(series, 'backend'), ([backend, own]) => {
      const retries = total(own);
      // divided by the full window even while it is still filling: a few retries are not a storm
      const perSecond = (retries * 1_000) / Math.max(coveredMs, options.windowMs);
      if (perSecond <= options.threshold) return { kind: 'clear', labels: { backend } };
      return breach(backend, retries, perSecond, options);
    });
  },
  example: options => breach('main', 1_484, 24.7, options),
};

function breach(backend: string, retries: number, perSecond: number, options: RetryStormOptions): Breach {
  return {
    kind: 'breach',
    labels: { backend },
    summary: `Requests to backend ${backend} are retried ${formatRate(perSecond)}.`,
    facts: [
      { name: 'Backend', value: backend },
      { name: 'Retries', value: `${formatCount(retries)} in ${describeDuration(options.windowMs)}` },
      { name: 'Allowed', value: formatRate(options.threshold) },
    ],
  };
}
