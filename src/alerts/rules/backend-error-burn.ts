import { burnRateRule } from './error-budget.ts';

const MINUTE_MS = 60_000;

/** At this rate the error budget will be used up within days: to be looked at now (docs/cards.md §4, 1). */
export const backendErrorBurn = burnRateRule({
  name: 'backendErrorBurn',
  title: 'A backend uses up its error budget',
  advice:
    'The share of errors is small, but at this rate the error budget of a month is used up within days. Compare the error codes in the access log with the store’s own logs.',
  inhibitedBy: ['backendUnreachable', 'backendErrors'],
  fast: { longMs: 60 * MINUTE_MS, shortMs: 5 * MINUTE_MS },
  slow: { longMs: 360 * MINUTE_MS, shortMs: 30 * MINUTE_MS },
  defaults: {
    severity: 'critical',
    budget: 0.001,
    fastFactor: 14.4,
    slowFactor: 6,
    minRequests: 100,
    forMs: 0,
    clearForMs: 5 * MINUTE_MS,
  },
  exampleLong: { total: 52_310, answered: 52_300, failed: 1_012, timedOut: 8 },
  exampleShort: { total: 4_120, answered: 4_119, failed: 93, timedOut: 1 },
});
