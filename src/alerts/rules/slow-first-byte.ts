import { describeDuration } from '../../base/time-text.js';
import type { Fact, Labels } from '../alert.ts';
import type { History } from '../measurement/history.ts';
import { backendFirstByteSeconds, firstByteSeconds } from '../measurement/measure.ts';
import { byLabel, quantile } from '../measurement/series.ts';
import { formatCount } from '../wording.ts';
import type { Breach, ConditionOptions, Finding, RuleDefinition } from './rule.ts';

interface SlowFirstByteOptions extends ConditionOptions {
  /** The allowed 99th percentile of the time to first byte for reads that need the backend. */
  readonly thresholdMs: number;
  /** The same for reads answered from the cache. */
  readonly hitThresholdMs: number;
  readonly windowMs: number;
  /** With fewer reads within the window, nothing is concluded. */
  readonly minRequests: number;
}

const hitResults = ['HIT', 'STALE'];
const misses = ['MISS', 'PARTIAL', 'REVALIDATED'];

/** Reads start too late; hits and misses are separate, since they depend on different things (docs/cards.md §4, 4). */
export const slowFirstByte: RuleDefinition<SlowFirstByteOptions> = {
  name: 'slowFirstByte',
  title: 'The first byte of reads is late',
  advice:
    'Slow misses wait for the backend. Slow hits wait for this machine: its processor or its event loops.',
  measures: [firstByteSeconds, backendFirstByteSeconds],
  inhibitedBy: ['backendUnreachable'],
  inhibitAfterMs: ({ windowMs }) => windowMs,
  defaults: {
    severity: 'warning',
    thresholdMs: 3_000,
    hitThresholdMs: 500,
    windowMs: 2 * 60_000,
    minRequests: 100,
    forMs: 2 * 60_000,
    clearForMs: 2 * 60_000,
  },
  evaluate: ({ history }, options) => {
    const { series } = history.increase(firstByteSeconds, options.windowMs);
    const judge = (kind: 'hit' | 'miss', outcomes: readonly string[]): Finding => {
      const isOfKind = ({ cache = '' }: Labels) => outcomes.includes(cache);
      const { value, count } = quantile(
        series.filter(({ labels }) => isOfKind(labels)),
        0.99,
      );
      if (count < options.minRequests) return { kind: 'no-data', labels: { cache: kind } };
      if (value * 1_000 <= allowedMs(kind, options)) return { kind: 'clear', labels: { cache: kind } };
      return breach(kind, value * 1_000, count, options, slowestBackend(kind, history, options));
    };
    return [judge('hit', hitResults), judge('miss', misses)];
  },
  example: options => breach('miss', 4_720, 911, options, [backendFact('main', 4_610)]),
};

function allowedMs(kind: 'hit' | 'miss', options: SlowFirstByteOptions): number {
  return kind === 'hit' ? options.hitThresholdMs : options.thresholdMs;
}

/** Less than one in a hundred answers of backends cannot make as many reads late. */
const LEAST_SHARE = 0.01;

/** No backend is asked for hits. */
function slowestBackend(
  kind: 'hit' | 'miss',
  history: History,
  { windowMs }: SlowFirstByteOptions,
): readonly Fact[] {
  if (kind === 'hit') return [];
  const { series } = history.increase(backendFirstByteSeconds, windowMs);
  const least = LEAST_SHARE * quantile(series, 0.99).count;
  const [slowest] = Array.from(byLabel(series, 'backend'), ([backend, own]) => ({
    backend,
    ...quantile(own, 0.99),
  }))
    .filter(({ count }) => count > 0 && count >= least)
    .sort((a, b) => b.value - a.value);
  return slowest ? [backendFact(slowest.backend, slowest.value * 1_000)] : [];
}

function backendFact(backend: string, p99Ms: number): Fact {
  const wait = `about ${describeDuration(p99Ms)} or longer`;
  return {
    name: 'Slowest backend',
    value: `${backend}: one in a hundred of its answers begins after ${wait}`,
  };
}

/** Within a bucket of the histogram the measured times are not known, so the figure is about right only. */
function breach(
  kind: 'hit' | 'miss',
  p99Ms: number,
  count: number,
  options: SlowFirstByteOptions,
  ofBackends: readonly Fact[],
): Breach {
  const reads = kind === 'hit' ? 'reads from the cache' : 'reads that need the backend';
  return {
    kind: 'breach',
    labels: { cache: kind },
    summary: `One in a hundred ${reads} waits about ${describeDuration(p99Ms)} or longer for its first byte.`,
    facts: [
      { name: 'Reads', value: `${formatCount(count)} ${reads} in ${describeDuration(options.windowMs)}` },
      { name: 'Slowest 1 %', value: `about ${describeDuration(p99Ms)} or longer` },
      ...ofBackends,
      { name: 'Allowed', value: describeDuration(allowedMs(kind, options)) },
    ],
  };
}
