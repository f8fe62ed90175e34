import { backendAttempts } from '../measurement/measure.ts';
import { type BurnLimits, type BurnWindows, burnBreach, findBurns } from './error-budget.ts';
import type { ConditionOptions, RuleDefinition } from './rule.ts';

export interface BackendErrorBudgetOptions extends ConditionOptions, BurnLimits {
  /** How many times too fast over one day and two hours… */
  readonly dayFactor: number;
  /** …and over three days and six hours. */
  readonly longFactor: number;
}

const HOUR_MS = 3_600_000;
const DAY: Omit<BurnWindows, 'factor'> = { longMs: 24 * HOUR_MS, shortMs: 2 * HOUR_MS };
const LONG: Omit<BurnWindows, 'factor'> = { longMs: 72 * HOUR_MS, shortMs: 6 * HOUR_MS };

/** The error budget will not last the month: somebody has to look this week (cards.md §4, 2). */
export const backendErrorBudget: RuleDefinition<BackendErrorBudgetOptions> = {
  name: 'backendErrorBudget',
  title: 'A backend’s error budget will not last',
  advice:
    'A small share of requests has been failing for long. It wants a ticket with the store, not a night shift.',
  measures: [backendAttempts],
  inhibitedBy: ['backendUnreachable', 'backendErrors', 'backendErrorBurn'],
  aftermathMs: () => DAY.shortMs,
  defaults: {
    severity: 'warning',
    budget: 0.001,
    dayFactor: 3,
    longFactor: 1,
    minRequests: 1_000,
    forMs: 0,
    clearForMs: HOUR_MS,
  },
  evaluate: ({ history }, options) =>
    findBurns(
      history,
      [
        { ...DAY, factor: options.dayFactor },
        { ...LONG, factor: options.longFactor },
      ],
      options,
    ),
  example: options =>
    burnBreach(
      'main',
      {
        windows: { ...DAY, factor: options.dayFactor },
        long: { total: 1_204_882, answered: 1_204_801, failed: 4_311, timedOut: 71 },
        short: { total: 98_240, answered: 98_239, failed: 402, timedOut: 1 },
      },
      options,
    ),
};
