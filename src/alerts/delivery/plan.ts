import { ATTEMPTS_PER_ROUND, type WaitingCard } from './outbox.ts';
import {
  nextSlotMs,
  type RateWindow,
  serviceWindows,
  shareOfWindows,
  slotsLeft,
  withoutReserve,
} from './windows.ts';

/** The rate limits of a channel: critical cards may use all of it, others leave a reserve. */
export interface Budget {
  readonly critical: readonly RateWindow[];
  readonly ordinary: readonly RateWindow[];
}

const RESERVE = 0.2;
/** The budget is short when less than a quarter of a window, or less than the queued cards need, is left. */
const SHORT = 0.25;
/** Shorter windows are ignored: a second passes soon enough. */
const SHORTEST_TELLING_WINDOW_MS = 30_000;

/** The budget of a gateway that may use `share` (0.25 to 1) of its channel. */
export function budgetOf(share: number): Budget {
  const critical = shareOfWindows(serviceWindows, share);
  return { critical, ordinary: withoutReserve(critical, RESERVE) };
}

/** The inputs for a sender's next step. */
interface SenderState {
  readonly nowMs: number;
  /** No posts to the channel until then. */
  readonly backOffUntilMs: number;
  readonly repliesMs: readonly number[];
  readonly budget: Budget;
  /** The first queued critical card, and the first of the others. */
  readonly critical: WaitingCard | undefined;
  readonly ordinary: WaitingCard | undefined;
  readonly ordinaryCount: number;
}

export type Plan =
  | { readonly kind: 'idle' }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'post'; readonly card: WaitingCard }
  /** Posts everything that can be combined in one digest. */
  | { readonly kind: 'fold'; readonly card: WaitingCard };

/**
 * Decides the next step of a sender that has no running post. Critical cards go first, unless they failed so often that
 * they move back. Nothing waits longer than back-off and windows require.
 */
export function planNext(situation: SenderState): Plan {
  const { critical, ordinary, nowMs, backOffUntilMs, repliesMs, budget, ordinaryCount } = situation;
  const startMs = Math.max(nowMs, backOffUntilMs);
  const criticalMs = nextSlotMs(budget.critical, repliesMs, startMs);
  const ordinaryMs = nextSlotMs(budget.ordinary, repliesMs, startMs);
  if (critical && !(ordinary && ordinaryMs === criticalMs && round(critical) > round(ordinary))) {
    return criticalMs > nowMs ? { kind: 'wait', untilMs: criticalMs } : { kind: 'post', card: critical };
  }
  if (!ordinary) return { kind: 'idle' };
  if (ordinaryMs > nowMs) return { kind: 'wait', untilMs: ordinaryMs };
  const folds = ordinaryCount > 1 && isShort(budget.ordinary, repliesMs, nowMs, ordinaryCount);
  return { kind: folds ? 'fold' : 'post', card: ordinary };
}

function isShort(
  windows: readonly RateWindow[],
  repliesMs: readonly number[],
  nowMs: number,
  waiting: number,
) {
  return windows.some(window => {
    if (window.lengthMs < SHORTEST_TELLING_WINDOW_MS) return false;
    const left = slotsLeft([window], repliesMs, nowMs);
    return left < waiting || left <= window.limit * SHORT;
  });
}

function round(card: WaitingCard): number {
  return Math.floor(card.attempts / ATTEMPTS_PER_ROUND);
}
