import { describeDuration } from '../../base/time-text.js';
import { backendAttempts } from '../measurement/measure.ts';
import { formatCount, formatShare } from '../wording.ts';
import { type AttemptOutcomes, attemptsByBackend } from './attempts.ts';
import type { Breach, ConditionOptions, Finding, RuleDefinition, RuleInput } from './rule.ts';

/**
 * Two windows over which errors are compared: the long one excludes short disturbances, the short one excludes those
 * already over.
 */
interface BurnRateWindows {
  readonly longMs: number;
  readonly shortMs: number;
}

interface BurnRateOptions extends ConditionOptions {
  /** The long-term allowed share of failed attempts, 0 to 1. */
  readonly budget: number;
  /** The burn rate, as a multiple of the budget, at which the fast pair of windows fires. */
  readonly fastFactor: number;
  /** The same for the slow pair. */
  readonly slowFactor: number;
  /** With fewer attempts within the short window, nothing is concluded. */
  readonly minRequests: number;
}

/** The differences between the rules on error budgets. */
interface BurnRateRule
  extends Pick<RuleDefinition<BurnRateOptions>, 'name' | 'title' | 'advice' | 'inhibitedBy' | 'defaults'> {
  readonly fast: BurnRateWindows;
  readonly slow: BurnRateWindows;
  readonly exampleLong: AttemptOutcomes;
  readonly exampleShort: AttemptOutcomes;
}

/** The measurements of a pair of windows. */
interface Burn {
  readonly windows: BurnRateWindows;
  readonly factor: number;
  readonly long: AttemptOutcomes;
  readonly short: AttemptOutcomes;
}

/**
 * A rule that fires when a backend's error budget burns too fast over either pair of windows (docs/cards.md §4, 1 and
 * 2).
 */
export function burnRateRule(rule: BurnRateRule): RuleDefinition<BurnRateOptions> {
  const { fast, slow, exampleLong, exampleShort, ...words } = rule;
  return {
    ...words,
    measures: [backendAttempts],
    inhibitAfterMs: () => slow.shortMs,
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
  /** Undefined until the gateway has run for the short window: otherwise its first error would count as a burn. */
  readonly burn?: Burn;
}

function measureBurns(
  history: RuleInput['history'],
  windows: BurnRateWindows,
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

function judge(backend: string, measured: readonly MeasuredBurn[], options: BurnRateOptions): Finding {
  const known = measured.flatMap(({ burn }) =>
    burn && burn.short.total >= options.minRequests ? [burn] : [],
  );
  if (known.length === 0) return { kind: 'no-data', labels: { backend } };
  const burning = known.find(({ factor, long, short }) => {
    const allowed = factor * options.budget;
    return long.failed > allowed * long.total && short.failed > allowed * short.total;
  });
  return burning ? breach(backend, burning, options) : { kind: 'clear', labels: { backend } };
}

function breach(
  backend: string,
  { windows, factor, long, short }: Burn,
  { budget }: BurnRateOptions,
): Breach {
  const spend = Number((long.failed / long.total / budget).toPrecision(2));
  return {
    kind: 'breach',
    labels: { backend },
    summary: `Backend ${backend} fails ${spend} times as often as its error budget allows.`,
    facts: [
      { name: 'Backend', value: backend },
      { name: `Failed in ${describeDuration(windows.longMs)}`, value: failedOf(long) },
      { name: `Failed in ${describeDuration(windows.shortMs)}`, value: failedOf(short) },
      { name: 'Budget', value: `${formatShare(budget)}, threshold ${factor} times` },
    ],
  };
}

function failedOf({ failed, total }: AttemptOutcomes): string {
  return `${formatCount(failed)} of ${formatCount(total)} (${formatShare(failed / total)})`;
}
