import { describeDuration } from '../../base/time-text.js';
import { requests } from '../measurement/measure.ts';
import { total } from '../measurement/series.ts';
import { formatCount, formatShare } from '../wording.ts';
import { isServerError } from './attempts.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface ServerErrorsOptions extends ConditionOptions {
  /** The allowed share of responses with 500 to 599, 0 to 1. */
  readonly threshold: number;
  readonly windowMs: number;
  /** With fewer requests within the window, nothing is concluded. */
  readonly minRequests: number;
}

/** Clients get 5xx responses, whatever the cause (docs/cards.md §4, 3). */
export const serverErrors: RuleDefinition<ServerErrorsOptions> = {
  name: 'serverErrors',
  title: 'Clients get server errors',
  advice: 'No single backend is the cause. The access log names the error code of each request.',
  measures: [requests],
  inhibitedBy: ['backendUnreachable', 'backendErrors'],
  inhibitAfterMs: ({ windowMs }) => windowMs,
  defaults: {
    severity: 'critical',
    threshold: 0.05,
    windowMs: 60_000,
    minRequests: 50,
    forMs: 60_000,
    clearForMs: 60_000,
  },
  evaluate: ({ history }, options) => {
    const { series } = history.increase(requests, options.windowMs);
    const all = total(series);
    const failed = total(series, isServerError);
    if (all < options.minRequests) return [{ kind: 'no-data', labels: {} }];
    if (failed <= options.threshold * all) return [{ kind: 'clear', labels: {} }];
    return [breach(failed, all, options)];
  },
  example: options => breach(118, 1_630, options),
};

function breach(failed: number, all: number, options: ServerErrorsOptions): Breach {
  const share = formatShare(failed / all);
  const window = describeDuration(options.windowMs);
  return {
    kind: 'breach',
    labels: {},
    summary: `${share} of all requests were answered with a server error in the last ${window}.`,
    facts: [
      { name: 'Server errors', value: `${formatCount(failed)} of ${formatCount(all)} (${share})` },
      { name: 'Allowed', value: `${formatShare(options.threshold)} in ${window}` },
    ],
  };
}
