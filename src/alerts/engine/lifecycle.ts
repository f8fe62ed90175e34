import type { Finding } from '../rules/rule.ts';

/** How patient a rule is, milliseconds. */
export interface ConditionTiming {
  /** A breach lasts this long before it fires. */
  readonly forMs: number;
  /** It is over this long before it is resolved; each earlier firing within the hour doubles it (flap damping). */
  readonly clearForMs: number;
}

/**
 * Where one condition stands; times are monotonic milliseconds. `firings` are the moments within the last hour at
 * which it began to fire, so that a condition that comes and goes is told once, not each time.
 */
export type ConditionState =
  | { readonly kind: 'inactive'; readonly firings: readonly number[] }
  | { readonly kind: 'pending'; readonly firings: readonly number[]; readonly sinceMs: number }
  | {
      readonly kind: 'firing';
      readonly firings: readonly number[];
      /** When a breach was last seen. */
      readonly seenMs: number;
      /** Since when it has been over. */
      readonly calmSinceMs?: number;
    };

export type Verdict = Finding['kind'];

/** What a step changed, for those who tell it. */
export type Transition = 'none' | 'pending' | 'dropped' | 'fired' | 'resolved';

export interface Step {
  readonly standing: ConditionState;
  readonly transition: Transition;
}

/** Firings older than this are forgotten. */
export const FLAP_MEMORY_MS = 60 * 60_000;
const LONGEST_CALM_MS = 30 * 60_000;
/** A firing alert about which nothing can be said any more is given up after this long. */
const STALE_AFTER_MS = 15 * 60_000;

export const inactive: ConditionState = { kind: 'inactive', firings: [] };

/** What becomes of a condition when its rule says `verdict` at `nowMs`. */
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

/** How long it has to be calm after so many firings within the hour, the present one among them. */
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
  // silence is no all-clear, but a calm that has begun goes on through it
  const calmSinceMs = standing.calmSinceMs ?? (verdict === 'clear' ? nowMs : undefined);
  const isOver =
    calmSinceMs === undefined
      ? nowMs - seenMs >= STALE_AFTER_MS
      : nowMs - calmSinceMs >= clearDelayMs(patience, firings.length);
  if (isOver) return { standing: { kind: 'inactive', firings }, transition: 'resolved' };
  const calm = calmSinceMs === undefined ? {} : { calmSinceMs };
  return { standing: { kind: 'firing', firings, seenMs, ...calm }, transition: 'none' };
}
