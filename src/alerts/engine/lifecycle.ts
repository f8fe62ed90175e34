import type { Finding } from '../rules/rule.ts';

/** The delays of a rule, in milliseconds. */
export interface ConditionTiming {
  /** How long a breach must last before it fires. */
  readonly forMs: number;
  /**
   * How long the condition must be clear before it is resolved; doubled for each earlier firing within the last hour
   * (flap damping).
   */
  readonly clearForMs: number;
}

/**
 * The state of one condition; times are monotonic milliseconds. `firings` are the start times of firings within the
 * last hour: a flapping condition is then notified once instead of each time.
 */
export type ConditionState =
  | { readonly kind: 'inactive'; readonly firings: readonly number[] }
  | { readonly kind: 'pending'; readonly firings: readonly number[]; readonly sinceMs: number }
  | {
      readonly kind: 'firing';
      readonly firings: readonly number[];
      /** When a breach was last seen. */
      readonly seenMs: number;
      /** Since when the condition has been clear. */
      readonly calmSinceMs?: number;
    };

export type Verdict = Finding['kind'];

/** What changed in a step. */
export type Transition = 'none' | 'pending' | 'dropped' | 'fired' | 'resolved';

export interface Step {
  readonly standing: ConditionState;
  readonly transition: Transition;
}

/** Older firings are forgotten. */
export const FLAP_MEMORY_MS = 60 * 60_000;
const LONGEST_CALM_MS = 30 * 60_000;
/** A firing alert without data for this long is given up. */
const STALE_AFTER_MS = 15 * 60_000;

export const inactive: ConditionState = { kind: 'inactive', firings: [] };

/** The next state of a condition, given the rule's `verdict` at `nowMs`. */
export function advance(
  standing: ConditionState,
  verdict: Verdict,
  nowMs: number,
  patience: ConditionTiming,
): Step {
  const firings = standing.firings.filter(firedMs => nowMs - firedMs < FLAP_MEMORY_MS);
  switch (standing.kind) {
    case 'inactive':
    case 'pending': {
      const sinceMs = standing.kind === 'pending' ? standing.sinceMs : nowMs;
      if (verdict === 'breach') return awaitFiring(standing.kind, firings, sinceMs, nowMs, patience);
      const transition = standing.kind === 'pending' ? 'dropped' : 'none';
      return { standing: { kind: 'inactive', firings }, transition };
    }
    case 'firing':
      return continueFiring({ ...standing, firings }, verdict, nowMs, patience);
  }
}

/** How long a condition must be clear, given the number of firings within the last hour, including the current one. */
export function clearDelayMs({ clearForMs }: ConditionTiming, firings: number): number {
  const dampedMs = clearForMs * 2 ** Math.min(Math.max(firings - 1, 0), 20);
  return Math.max(clearForMs, Math.min(dampedMs, LONGEST_CALM_MS));
}

function awaitFiring(
  before: 'inactive' | 'pending',
  firings: readonly number[],
  sinceMs: number,
  nowMs: number,
  { forMs }: ConditionTiming,
): Step {
  if (nowMs - sinceMs >= forMs) {
    return {
      standing: { kind: 'firing', firings: [...firings, nowMs], seenMs: nowMs },
      transition: 'fired',
    };
  }
  const transition = before === 'inactive' ? 'pending' : 'none';
  return { standing: { kind: 'pending', firings, sinceMs }, transition };
}

function continueFiring(
  standing: Extract<ConditionState, { kind: 'firing' }>,
  verdict: Verdict,
  nowMs: number,
  patience: ConditionTiming,
): Step {
  const { firings, seenMs } = standing;
  if (verdict === 'breach')
    return { standing: { kind: 'firing', firings, seenMs: nowMs }, transition: 'none' };
  // missing data does not start a clear period, but does not end one either
  const calmSinceMs = standing.calmSinceMs ?? (verdict === 'clear' ? nowMs : undefined);
  const isOver =
    calmSinceMs === undefined
      ? nowMs - seenMs >= STALE_AFTER_MS
      : nowMs - calmSinceMs >= clearDelayMs(patience, firings.length);
  if (isOver) return { standing: { kind: 'inactive', firings }, transition: 'resolved' };
  const calm = calmSinceMs === undefined ? {} : { calmSinceMs };
  return { standing: { kind: 'firing', firings, seenMs, ...calm }, transition: 'none' };
}
