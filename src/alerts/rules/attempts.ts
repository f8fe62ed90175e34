import type { Labels } from '../alert.ts';
import { byLabel, type Series, total } from '../measurement/series.ts';

/** How attempts at one backend ended. An attempt given up because the client left counts as none of these. */
export interface AttemptOutcomes {
  readonly total: number;
  /** A status came, whichever. */
  readonly answered: number;
  /** A server error, or no answer. */
  readonly failed: number;
  readonly timedOut: number;
}

/** What stands in place of a status when no answer came for a reason on the backend's side. */
const noAnswer = ['unreachable', 'timeout', 'broken', 'invalid'];

/** The attempts counted in `series` (labels `backend` and `status`) by backend. */
export function attemptsByBackend(series: readonly Series[]): ReadonlyMap<string, AttemptOutcomes> {
  return new Map(Array.from(byLabel(series, 'backend'), ([backend, own]) => [backend, countAttempts(own)]));
}

function countAttempts(series: readonly Series[]): AttemptOutcomes {
  const answered = total(series, isAnswer);
  const unanswered = total(series, ({ status = '' }) => noAnswer.includes(status));
  return {
    total: answered + unanswered,
    answered,
    failed: unanswered + total(series, isServerError),
    timedOut: total(series, ({ status }) => status === 'timeout'),
  };
}

function isAnswer({ status = '' }: Labels): boolean {
  return /^\d{3}$/.test(status);
}

/** Whether the `status` label is one of 500 to 599. */
export function isServerError({ status = '' }: Labels): boolean {
  return /^5\d\d$/.test(status);
}
