import { GIVEN_UP, NO_ANSWER, type StoreError, type StoreErrorCode } from './store.ts';

/**
 * How a request to a store can end without an answer, as the label `status` of `tidegate_backend_requests_total` says it
 * in place of a status, and who made it end. Only those that the store made are failures of the store: the others are
 * counted neither as attempts nor as failures.
 */
export const unansweredOutcomes = {
  /** No connection. */
  unreachable: 'store',
  /** Too slow; also reads given up for others while the store answers nothing. */
  timeout: 'store',
  /** The connection broke. */
  broken: 'store',
  /** A malformed answer. */
  invalid: 'store',
  /** The gateway failed to process the answer. */
  fault: 'gateway',
  /** Given up for calls that waited. */
  busy: 'gateway',
  /** Not sent, for want of valid credentials. */
  unsigned: 'gateway',
  /** Nobody wanted the answer any more. */
  aborted: 'client',
} as const satisfies Readonly<Record<string, 'store' | 'gateway' | 'client'>>;

export type UnansweredOutcome = keyof typeof unansweredOutcomes;

const outcomes: Readonly<Record<StoreErrorCode, UnansweredOutcome>> = {
  BROKEN: 'broken',
  BUSY: 'busy',
  // never sent, so never counted
  CIRCUIT_OPEN: 'busy',
  FAULT: 'fault',
  INVALID: 'invalid',
  TIMEOUT: 'timeout',
  UNREACHABLE: 'unreachable',
  UNSIGNED: 'unsigned',
};

/** The outcome of a request that failed with `error`. */
export function outcomeOf({ code, reason }: StoreError): UnansweredOutcome {
  return reason === NO_ANSWER ? 'timeout' : outcomes[code];
}

/** Whether the store is to blame for a failed call, rather than the gateway or the client. */
export function isStoreFailure(error: StoreError): boolean {
  return error.reason !== GIVEN_UP && unansweredOutcomes[outcomeOf(error)] === 'store';
}

/** The label `status` of an answer that refuses the gateway's own keys or signature, whatever its status is. */
export const REFUSED = 'refused';

/** The outcomes that are the store's failures, besides 5xx. */
export const storeFailures: readonly string[] = [...outcomesBy(by => by === 'store'), REFUSED];

/** The outcomes that say nothing of the store. */
export const uncountedOutcomes: readonly string[] = outcomesBy(by => by !== 'store');

function outcomesBy(isMeant: (by: string) => boolean): readonly string[] {
  return Object.entries(unansweredOutcomes).flatMap(([outcome, by]) => (isMeant(by) ? [outcome] : []));
}
