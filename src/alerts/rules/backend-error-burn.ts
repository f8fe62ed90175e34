import { burnRule } from './error-budget.ts';

const MINUTE_MS = 60_000;

/** At this rate the error budget will be used up within days: to be looked at now (docs/cards.md §4, 1). */
export const backendErrorBurn = burnRule({
  name: 'backendErrorBurn',
  title: 'A backend burns its error budget',
  advice:
    'Too few errors to notice at once, too many to leave alone. Compare the error codes in the access log with the store’s own logs.',
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
