import { burnRateRule } from './error-budget.ts';

const HOUR_MS = 3_600_000;

/** At this rate the error budget will not last the month: to be looked at this week (docs/cards.md §4, 2). */
export const backendErrorBudget = burnRateRule({
  name: 'backendErrorBudget',
  title: 'A backend’s error budget will not last',
  advice:
    'A small share of requests has been failing for days. Report it to whoever runs the store; it is not urgent.',
  inhibitedBy: ['backendUnreachable', 'backendErrors', 'backendErrorBurn'],
  fast: { longMs: 24 * HOUR_MS, shortMs: 2 * HOUR_MS },
  slow: { longMs: 72 * HOUR_MS, shortMs: 6 * HOUR_MS },
  defaults: {
    severity: 'warning',
    budget: 0.001,
    fastFactor: 3,
    slowFactor: 1,
    minRequests: 1_000,
    forMs: 0,
    clearForMs: HOUR_MS,
  },
  exampleLong: { total: 1_204_882, answered: 1_204_801, failed: 4_311, timedOut: 71 },
  exampleShort: { total: 98_240, answered: 98_239, failed: 402, timedOut: 1 },
});
