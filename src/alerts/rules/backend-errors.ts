import { describeDuration } from '../../base/time-text.js';
import { backendAttempts, backendFailures } from '../measurement/measure.ts';
import { formatCount, formatShare } from '../wording.ts';
import { type AttemptOutcomes, attemptsByBackend } from './attempts.ts';
import { describeCause, lastCause, lastFailureFacts } from './last-failure.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface BackendErrorsOptions extends ConditionOptions {
  /** The allowed share of failed attempts, 0 to 1. */
  readonly threshold: number;
  readonly windowMs: number;
  /** With fewer attempts within the window, nothing is concluded. */
  readonly minRequests: number;
}

/** Too many attempts at a backend fail (docs/cards.md §4, 3, at the backend). */
export const backendErrors: RuleDefinition<BackendErrorsOptions> = {
  name: 'backendErrors',
  title: 'A backend answers with errors',
  advice:
    'Reads that are not cached fail for clients, and so do writes, which the store may have carried out nevertheless (see Writes in the runbook). Look at the store’s own status and its logs first, then at the network between; where it refuses the gateway’s keys, at the credentials of the backend.',
  measures: [backendAttempts, backendFailures],
  inhibitedBy: ['backendUnreachable'],
  inhibitAfterMs: ({ windowMs }) => windowMs,
  defaults: {
    severity: 'critical',
    threshold: 0.05,
    windowMs: 60_000,
    minRequests: 20,
    forMs: 60_000,
    clearForMs: 60_000,
  },
  evaluate: ({ history }, options) =>
    Array.from(
      attemptsByBackend(history.increase(backendAttempts, options.windowMs).series),
      ([backend, attempts]) => {
        const labels = { backend };
        if (attempts.total < options.minRequests) return { kind: 'no-data', labels };
        if (attempts.failed <= options.threshold * attempts.total) return { kind: 'clear', labels };
        return breach(backend, attempts, lastCause(history, backend, options.windowMs), options);
      },
    ),
  example: options =>
    breach('main', { total: 412, answered: 400, failed: 37, timedOut: 4 }, 'STATUS_503', options),
};

function breach(
  backend: string,
  attempts: AttemptOutcomes,
  cause: string | undefined,
  options: BackendErrorsOptions,
): Breach {
  const share = formatShare(attempts.failed / attempts.total);
  const window = describeDuration(options.windowMs);
  const last = cause === undefined ? '' : `; the last failure: ${describeCause(cause)}`;
  return {
    kind: 'breach',
    labels: { backend },
    summary: `${share} of the requests to backend ${backend} failed in the last ${window}${last}.`,
    facts: [
      { name: 'Backend', value: backend },
      {
        name: 'Failed',
        value: `${formatCount(attempts.failed)} of ${formatCount(attempts.total)} (${share})`,
      },
      ...lastFailureFacts(backend, cause),
      { name: 'Without an answer', value: formatCount(attempts.total - attempts.answered) },
      { name: 'Allowed', value: `${formatShare(options.threshold)} in ${window}` },
    ],
    cause,
  };
}
