import type { Labels } from '../alert.ts';
import { byLabel, type Series, total } from '../measurement/series.ts';

/** The results of attempts at one backend. Attempts cancelled because the client left are not counted. */
export interface AttemptOutcomes {
  readonly total: number;
  /** A response with any status. */
  readonly answered: number;
  /** A server error, or no response. 501 is none: the store works, and says what it does not offer. */
  readonly failed: number;
  readonly timedOut: number;
}

/** The `status` labels of attempts without a response for reasons on the backend's side. */
const noAnswer: readonly string[] = ['unreachable', 'timeout', 'broken', 'invalid'];

/** The attempts in `series` (labels `backend` and `status`), by backend. */
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

/** Whether an attempt with this `status` label failed. */
export function isFailedAttempt(labels: Labels): boolean {
  return isServerError(labels) || noAnswer.includes(labels.status ?? '');
}

function isAnswer({ status = '' }: Labels): boolean {
  return /^\d{3}$/.test(status);
}

/** Whether the `status` label is 500 to 599, except 501: an operation that does not exist is the client's mistake. */
export function isServerError({ status = '' }: Labels): boolean {
  return status !== '501' && /^5\d\d$/.test(status);
}
