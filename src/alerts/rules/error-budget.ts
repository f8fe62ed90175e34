import { backendAttempts } from '../measurement/measure.ts';
import { describeDuration, formatCount, formatShare } from '../wording.ts';
import { type AttemptOutcomes, attemptsByBackend } from './attempts.ts';
import type { Breach, ConditionOptions, Finding, Observed, RuleDefinition } from './rule.ts';

/**
 * Two windows over which errors are compared: the long one says that it is not a blip, the short one that it is
 * not over yet.
 */
export interface BurnWindows {
  readonly longMs: number;
  readonly shortMs: number;
}

export interface BurnOptions extends ConditionOptions {
  /** Share of attempts that may fail in the long run, 0 to 1. */
  readonly budget: number;
  /** How many times faster than that the budget may burn over the fast pair of windows… */
  readonly fastFactor: number;
  /** …and over the slow pair. */
  readonly slowFactor: number;
  /** Attempts within the short window below which nothing is concluded. */
  readonly minRequests: number;
}

/** What tells one rule on an error budget from another. */
export interface BurnRule
  extends Pick<RuleDefinition<BurnOptions>, 'name' | 'title' | 'advice' | 'inhibitedBy' | 'defaults'> {
  readonly fast: BurnWindows;
  readonly slow: BurnWindows;
  readonly exampleLong: AttemptOutcomes;
  readonly exampleShort: AttemptOutcomes;
}

/** What was measured over a pair of windows. */
interface Burn {
  readonly windows: BurnWindows;
  readonly factor: number;
  readonly long: AttemptOutcomes;
  readonly short: AttemptOutcomes;
}

/**
 * A rule that fires when errors burn a backend's budget too fast over either pair of windows (docs/cards.md §4, 1 and
 * 2).
 */
export function burnRule(rule: BurnRule): RuleDefinition<BurnOptions> {
  const { fast, slow, exampleLong, exampleShort, ...words } = rule;
  return {
    ...words,
    measures: [backendAttempts],
    aftermathMs: () => slow.shortMs,
    evaluate: ({ history }, options) => {
      const pairs = [
        { windows: fast, factor: options.fastFactor },
        { windows: slow, factor: options.slowFactor },
      ];
      const measured = pairs.flatMap(pair => measureBurns(history, pair.windows, pair.factor));
      const backends = Map.groupBy(measured, ({ backend }) => backend);
      return Array.from(backends, ([backend, burns]) => judge(backend, burns, options));
    },
    example: options =>
      breach(
        'main',
        { windows: fast, factor: options.fastFactor, long: exampleLong, short: exampleShort },
        options,
      ),
  };
}

interface MeasuredBurn {
  readonly backend: string;
  /** Undefined while the gateway is younger than the short window: its first error would be a burn. */
  readonly burn?: Burn;
}

function measureBurns(
  history: Observed['history'],
  windows: BurnWindows,
  factor: number,
): readonly MeasuredBurn[] {
  const recent = history.increase(backendAttempts, windows.shortMs);
  const short = attemptsByBackend(recent.series);
  const long = attemptsByBackend(history.increase(backendAttempts, windows.longMs).series);
  return Array.from(long, ([backend, attempts]) => {
    const latest = short.get(backend);
    if (!latest || recent.coveredMs < windows.shortMs) return { backend };
    return { backend, burn: { windows, factor, long: attempts, short: latest } };
  });
}

function judge(backend: string, measured: readonly MeasuredBurn[], options: BurnOptions): Finding {
  const known = measured.flatMap(({ burn }) =>
    burn && burn.short.total >= options.minRequests ? [burn] : [],
  );
  if (known.length === 0) return { kind: 'quiet', labels: { backend } };
  const burning = known.find(({ factor, long, short }) => {
    const allowed = factor * options.budget;
    return long.failed > allowed * long.total && short.failed > allowed * short.total;
  });
  return burning ? breach(backend, burning, options) : { kind: 'clear', labels: { backend } };
}

function breach(backend: string, { windows, factor, long, short }: Burn, { budget }: BurnOptions): Breach {
  const spend = Number((long.failed / long.total / budget).toPrecision(2));
  return {
    kind: 'breach',
    labels: { backend },
    summary: `Backend ${backend} fails ${spend} times as often as its error budget allows.`,
    facts: [
      { name: 'Backend', value: backend },
      { name: `Failed in ${describeDuration(windows.longMs)}`, value: failedOf(long) },
      { name: `Failed in ${describeDuration(windows.shortMs)}`, value: failedOf(short) },
      { name: 'Budget', value: `${formatShare(budget)}, told from ${factor} times` },
    ],
  };
}

function failedOf({ failed, total }: AttemptOutcomes): string {
  return `${formatCount(failed)} of ${formatCount(total)} (${formatShare(failed / total)})`;
}
