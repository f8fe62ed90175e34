import { describeDuration } from '../../base/time-text.js';
import type { History } from '../measurement/history.ts';
import { backendFailures, requests } from '../measurement/measure.ts';
import { byLabel, total } from '../measurement/series.ts';
import { formatCount, formatShare } from '../wording.ts';
import { isServerError } from './attempts.ts';
import { describeCause, lastCause } from './last-failure.ts';
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
  advice:
    'The access log names the error code of each request, and the backend and the cause where a store has failed.',
  measures: [requests, backendFailures],
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
    return [breach(failed, all, mostFailures(history, options.windowMs), options)];
  },
  example: options => breach(118, 1_630, undefined, options),
};

/** The failures of the backend that had most of them. */
interface BackendFailures {
  readonly backend: string;
  readonly count: number;
  readonly cause: string | undefined;
}

/** Undefined where no backend has failed. */
function mostFailures(history: History, windowMs: number): BackendFailures | undefined {
  const failures = byLabel(history.increase(backendFailures, windowMs).series, 'backend');
  const [most] = Array.from(failures, ([backend, own]) => ({ backend, count: total(own) })).sort(
    (a, b) => b.count - a.count,
  );
  return most && most.count > 0 ? { ...most, cause: lastCause(history, most.backend, windowMs) } : undefined;
}

function breach(
  failed: number,
  all: number,
  most: BackendFailures | undefined,
  options: ServerErrorsOptions,
): Breach {
  const share = formatShare(failed / all);
  const window = describeDuration(options.windowMs);
  return {
    kind: 'breach',
    labels: {},
    summary: `${share} of all requests were answered with a server error in the last ${window}.`,
    facts: [
      { name: 'Server errors', value: `${formatCount(failed)} of ${formatCount(all)} (${share})` },
      { name: 'Failures of backends', value: most ? describeMost(most) : 'none' },
      { name: 'Allowed', value: `${formatShare(options.threshold)} in ${window}` },
    ],
  };
}

function describeMost({ backend, count, cause }: BackendFailures): string {
  const why = cause === undefined ? '' : `, the last: ${describeCause(cause)}`;
  return `most of ${backend}: ${formatCount(count)}${why}`;
}
