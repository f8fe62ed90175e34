import type { History } from '../measurement/history.ts';
import { backendAttempts } from '../measurement/measure.ts';
import { formatCount, formatDuration, formatShare } from '../wording.ts';
import { type Attempts, attemptsByBackend } from './attempts.ts';
import type { Breach, Finding } from './rule.ts';

/**
 * Errors burn the budget `factor` times too fast, over a long window (it is not a blip) and over a short one (it is
 * not over yet). cards.md §4, 1 and 2.
 */
export interface BurnWindows {
  readonly longMs: number;
  readonly shortMs: number;
  readonly factor: number;
}

export interface BurnLimits {
  /** Share of attempts that may fail in the long run, 0 to 1. */
  readonly budget: number;
  /** Attempts within the short window below which nothing is concluded. */
  readonly minRequests: number;
}

interface Burn {
  readonly windows: BurnWindows;
  readonly long: Attempts;
  readonly short: Attempts;
}

/** Of each backend, whether any of the pairs of windows burns; the first that does is told. */
export function findBurns(
  history: History,
  pairs: readonly BurnWindows[],
  limits: BurnLimits,
): readonly Finding[] {
  const measured = pairs.map(windows => ({
    windows,
    // a short window that is not full yet would call the first error of a young gateway a burn
    isFull: history.increase(backendAttempts, windows.shortMs).coveredMs >= windows.shortMs,
    long: attemptsByBackend(history.increase(backendAttempts, windows.longMs).series),
    short: attemptsByBackend(history.increase(backendAttempts, windows.shortMs).series),
  }));
  const backends = new Set(measured.flatMap(({ long }) => [...long.keys()]));
  return Array.from(backends, backend => {
    const candidates = measured.flatMap(({ windows, isFull, long, short }) => {
      const own = { windows, long: long.get(backend), short: short.get(backend) };
      return isFull && own.long && own.short && own.short.total >= limits.minRequests
        ? [{ windows, long: own.long, short: own.short }]
        : [];
    });
    const labels = { backend };
    if (candidates.length === 0) return { kind: 'quiet', labels };
    const burn = candidates.find(candidate => burns(candidate, limits));
    return burn ? burnBreach(backend, burn, limits) : { kind: 'clear', labels };
  });
}

function burns({ windows, long, short }: Burn, { budget }: BurnLimits): boolean {
  const allowed = windows.factor * budget;
  return long.failed > allowed * long.total && short.failed > allowed * short.total;
}

/** How a burn is told. */
export function burnBreach(backend: string, { windows, long, short }: Burn, limits: BurnLimits): Breach {
  const longShare = long.failed / long.total;
  const spend = Number((longShare / limits.budget).toPrecision(2));
  return {
    kind: 'breach',
    labels: { backend },
    summary: `Backend ${backend} fails ${spend} times as often as its error budget allows.`,
    facts: [
      { name: 'Backend', value: backend },
      { name: `Failed in ${formatDuration(windows.longMs)}`, value: failedOf(long) },
      { name: `Failed in ${formatDuration(windows.shortMs)}`, value: failedOf(short) },
      { name: 'Budget', value: `${formatShare(limits.budget)}, told from ${windows.factor} times` },
    ],
  };
}

function failedOf({ failed, total }: Attempts): string {
  return `${formatCount(failed)} of ${formatCount(total)} (${formatShare(failed / total)})`;
}
