/** What a circuit breaker does with the calls to a store. Times are those of `Clock.monotonicMs`. */
export type BreakerState =
  /** All calls are sent. What failed before `sinceMs` no longer counts. */
  | { readonly kind: 'closed'; readonly sinceMs: number }
  /** No call is sent before `untilMs`. */
  | { readonly kind: 'open'; readonly untilMs: number }
  /** A few calls are sent to try the store. Those that have not ended at `untilMs` are no longer waited for. */
  | {
      readonly kind: 'half-open';
      readonly untilMs: number;
      readonly running: number;
      readonly succeeded: number;
    };

/** When a breaker changes its state. */
export interface BreakerTimes {
  /** How long it stays open before the store is tried. */
  readonly openMs: number;
  /** How many calls have to succeed, one after the other or at once, before it closes. */
  readonly probes: number;
  /** How long the end of such a call is waited for: its worker may die. */
  readonly probeMs: number;
}

/** Whether a call may be sent: as any other, to try the store, or not at all. */
export type Admission = 'send' | 'try' | 'refuse';

/** How a call that tried the store has ended; `dropped`: it says nothing of the store. */
export type TrialEnd = 'succeeded' | 'failed' | 'dropped';

/** A store that nothing is known of. */
export const initiallyClosed: BreakerState = { kind: 'closed', sinceMs: 0 };

/** Whether a call may be sent now, and the state from then on. */
export function admit(
  state: BreakerState,
  nowMs: number,
  { probes, probeMs }: BreakerTimes,
): { readonly admission: Admission; readonly next: BreakerState } {
  if (state.kind === 'closed') return { admission: 'send', next: state };
  const isDue = nowMs >= state.untilMs;
  if (isDue) {
    const succeeded = state.kind === 'half-open' ? state.succeeded : 0;
    return {
      admission: 'try',
      next: { kind: 'half-open', untilMs: nowMs + probeMs, running: 1, succeeded },
    };
  }
  if (state.kind === 'open' || state.running + state.succeeded >= probes)
    return { admission: 'refuse', next: state };
  return { admission: 'try', next: { ...state, running: state.running + 1 } };
}

/** The state when a call that tried the store has ended. */
export function afterTrial(
  state: BreakerState,
  end: TrialEnd,
  nowMs: number,
  { openMs, probes }: BreakerTimes,
): BreakerState {
  if (state.kind !== 'half-open') return state;
  if (end === 'failed') return { kind: 'open', untilMs: nowMs + openMs };
  const running = Math.max(0, state.running - 1);
  if (end === 'dropped') return { ...state, running };
  const succeeded = state.succeeded + 1;
  return succeeded >= probes ? { kind: 'closed', sinceMs: nowMs } : { ...state, running, succeeded };
}

/** The state when too many calls have failed. */
export function afterFailures(state: BreakerState, nowMs: number, { openMs }: BreakerTimes): BreakerState {
  return state.kind === 'closed' ? { kind: 'open', untilMs: nowMs + openMs } : state;
}
