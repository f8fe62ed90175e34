/** The state of a circuit breaker. Times are those of `Clock.monotonicMs`. */
export type BreakerState =
  /** All calls are sent. Failures before `sinceMs` no longer count. */
  | { readonly kind: 'closed'; readonly sinceMs: number }
  /** No call is sent, and the store is asked nothing before `untilMs`. */
  | { readonly kind: 'open'; readonly untilMs: number }
  /** No call is sent, and one thread asks the store whether it answers. Another one may from `untilMs`: the first may have died. */
  | { readonly kind: 'half-open'; readonly untilMs: number; readonly succeeded: number };

/** The times and counts at which a breaker changes its state. */
export interface BreakerTimes {
  /** How long it stays open before the store is asked. */
  readonly openMs: number;
  /** How many questions the store has to answer, one after the other, before it closes. */
  readonly probes: number;
  /** How long the answer to a question is waited for. */
  readonly questionMs: number;
}

/** The state of a store about which nothing is known yet. */
export const initiallyClosed: BreakerState = { kind: 'closed', sinceMs: 0 };

/** The state when a thread asks the store; the same state where it may not ask now. */
export function whenAsking(
  state: BreakerState,
  nowMs: number,
  { questionMs }: Pick<BreakerTimes, 'questionMs'>,
): BreakerState {
  if (state.kind === 'closed' || nowMs < state.untilMs) return state;
  const succeeded = state.kind === 'half-open' ? state.succeeded : 0;
  return { kind: 'half-open', untilMs: nowMs + questionMs, succeeded };
}

/** The state when a half-open store has answered the question, or has not. */
export function afterQuestion(
  state: BreakerState,
  isAlive: boolean,
  nowMs: number,
  { openMs, probes, questionMs }: BreakerTimes,
): BreakerState {
  if (state.kind !== 'half-open') return state;
  if (!isAlive) return { kind: 'open', untilMs: nowMs + openMs };
  const succeeded = state.succeeded + 1;
  return succeeded >= probes
    ? { kind: 'closed', sinceMs: nowMs }
    : { kind: 'half-open', untilMs: nowMs + questionMs, succeeded };
}

/** The state when too many calls have failed, and the store has not answered the question either. */
export function whenFailing(state: BreakerState, nowMs: number, { openMs }: BreakerTimes): BreakerState {
  return state.kind === 'closed' ? { kind: 'open', untilMs: nowMs + openMs } : state;
}
