import { describeDuration } from '../../base/time-text.js';
import { backendAttempts } from '../measurement/measure.ts';
import { formatCount, formatShare } from '../wording.ts';
import { attemptsByBackend } from './attempts.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface BackendTimeoutsOptions extends ConditionOptions {
  /** The allowed share of timeouts, 0 to 1. */
  readonly threshold: number;
  readonly windowMs: number;
  /** With fewer attempts within the window, nothing is concluded. */
  readonly minRequests: number;
}

/** A backend answers, but too many attempts time out (docs/cards.md §4, 7). */
export const backendTimeouts: RuleDefinition<BackendTimeoutsOptions> = {
  name: 'backendTimeouts',
  title: 'A backend answers too late',
  advice:
    'Reads wait for the whole timeout before they are tried again; writes wait 60 s or longer, fail, and are not tried again (see Writes in the runbook). Look at the store’s load, and whether the timeouts configured for the backend are long enough for it.',
  measures: [backendAttempts],
  inhibitedBy: ['backendUnreachable'],
  inhibitAfterMs: ({ windowMs }) => windowMs,
  defaults: {
    severity: 'warning',
    threshold: 0.05,
    windowMs: 60_000,
    minRequests: 20,
    forMs: 5 * 60_000,
    clearForMs: 60_000,
  },
  evaluate: ({ history }, options) =>
    Array.from(
      attemptsByBackend(history.increase(backendAttempts, options.windowMs).series),
      ([backend, { total, timedOut }]) => {
        const labels = { backend };
        if (total < options.minRequests) return { kind: 'no-data', labels };
        if (timedOut <= options.threshold * total) return { kind: 'clear', labels };
        return breach(backend, timedOut, total, options);
      },
    ),
  example: options => breach('main', 61, 640, options),
};

function breach(backend: string, timedOut: number, total: number, options: BackendTimeoutsOptions): Breach {
  const share = formatShare(timedOut / total);
  const window = describeDuration(options.windowMs);
  return {
    kind: 'breach',
    labels: { backend },
    summary: `${share} of the requests to backend ${backend} timed out in the last ${window}.`,
    facts: [
      { name: 'Backend', value: backend },
      { name: 'Timed out', value: `${formatCount(timedOut)} of ${formatCount(total)} (${share})` },
      { name: 'Allowed', value: `${formatShare(options.threshold)} in ${window}` },
    ],
  };
}
