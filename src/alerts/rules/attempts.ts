import { REFUSED, storeFailures } from '../../backend/call-outcome.ts';
import { mayRefuseSignature } from '../../backend/signature-refusal.ts';
import type { Labels } from '../alert.ts';
import { byLabel, type Series, total } from '../measurement/series.ts';

/** The results of attempts at one backend. Those that the gateway or the client ended are not counted. */
export interface AttemptOutcomes {
  readonly total: number;
  /** A response with any status. */
  readonly answered: number;
  /**
   * A server error, no response, or a refusal of the gateway's own keys. 501 is none: the store works, and says what it does
   * not offer.
   */
  readonly failed: number;
  readonly timedOut: number;
}

/** The same, with the refusals among the answers. */
export interface RefusedAttempts extends AttemptOutcomes {
  /** The gateway's own keys or signature were refused. */
  readonly refused: number;
  /** Other refusals, and those that do not say what they are about, as in answers to HEAD. */
  readonly denied: number;
}

/** The attempts in `series` (labels `backend` and `status`), by backend. */
export function attemptsByBackend(series: readonly Series[]): ReadonlyMap<string, RefusedAttempts> {
  return new Map(Array.from(byLabel(series, 'backend'), ([backend, own]) => [backend, countAttempts(own)]));
}

function countAttempts(series: readonly Series[]): RefusedAttempts {
  const refused = total(series, ({ status }) => status === REFUSED);
  const answered = refused + total(series, isAnswer);
  return {
    total: total(series, isCountedAttempt),
    answered,
    failed: total(series, isFailedAttempt),
    refused,
    denied: total(series, ({ status }) => mayRefuseSignature(Number(status))),
    timedOut: total(series, ({ status }) => status === 'timeout'),
  };
}

/**
 * Whether an attempt with this `status` label failed. The queries of the runbook (`runbook-steps.ts`) and the rules for
 * Prometheus (config/prometheus) count alike.
 */
export function isFailedAttempt(labels: Labels): boolean {
  return isServerError(labels) || storeFailures.includes(labels.status ?? '');
}

/** Whether an attempt with this `status` label is counted at all. */
export function isCountedAttempt(labels: Labels): boolean {
  return isAnswer(labels) || storeFailures.includes(labels.status ?? '');
}

function isAnswer({ status = '' }: Labels): boolean {
  return /^\d{3}$/.test(status);
}

/** Whether the `status` label is 500 to 599, except 501: an operation that does not exist is the client's mistake. */
export function isServerError({ status = '' }: Labels): boolean {
  return status !== '501' && /^5\d\d$/.test(status);
}
