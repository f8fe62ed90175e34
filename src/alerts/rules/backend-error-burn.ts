import { backendAttempts } from '../measurement/measure.ts';
import { type BurnLimits, type BurnWindows, burnBreach, findBurns } from './error-budget.ts';
import type { ConditionOptions, RuleDefinition } from './rule.ts';

export interface BackendErrorBurnOptions extends ConditionOptions, BurnLimits {
  /** How many times too fast over one hour and five minutes… */
  readonly fastFactor: number;
  /** …and over six hours and thirty minutes. */
  readonly slowFactor: number;
}

const MINUTE_MS = 60_000;
const FAST: Omit<BurnWindows, 'factor'> = { longMs: 60 * MINUTE_MS, shortMs: 5 * MINUTE_MS };
const SLOW: Omit<BurnWindows, 'factor'> = { longMs: 360 * MINUTE_MS, shortMs: 30 * MINUTE_MS };

/** The error budget is being used up within days: somebody has to look now (cards.md §4, 1). */
export const backendErrorBurn: RuleDefinition<BackendErrorBurnOptions> = {
  name: 'backendErrorBurn',
  title: 'A backend burns its error budget',
  advice:
    'Too few errors to notice at once, too many to leave alone. Compare the error codes on the status page with the store’s logs.',
  measures: [backendAttempts],
  inhibitedBy: ['backendUnreachable', 'backendErrors'],
  aftermathMs: () => SLOW.shortMs,
  defaults: {
    severity: 'critical',
    budget: 0.001,
    fastFactor: 14.4,
    slowFactor: 6,
    minRequests: 100,
    forMs: 0,
    clearForMs: 5 * MINUTE_MS,
  },
  evaluate: ({ history }, options) =>
    findBurns(
      history,
      [
        { ...FAST, factor: options.fastFactor },
        { ...SLOW, factor: options.slowFactor },
      ],
      options,
    ),
  example: options =>
    burnBreach(
      'main',
      {
        windows: { ...FAST, factor: options.fastFactor },
        long: { total: 52_310, answered: 52_300, failed: 1_012, timedOut: 8 },
        short: { total: 4_120, answered: 4_119, failed: 93, timedOut: 1 },
      },
      options,
    ),
};
