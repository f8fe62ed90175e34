import { describeDuration } from '../../base/time-text.js';
import { LONGEST_BASELINE_MS } from '../measurement/downsampled-rows.ts';
import { requests } from '../measurement/measure.ts';
import { type Series, total } from '../measurement/series.ts';
import { formatCount, formatShare } from '../wording.ts';
import type { Breach, ConditionOptions, RuleDefinition } from './rule.ts';

interface HitRatioDropOptions extends ConditionOptions {
  /** A hit ratio from 0 to 1 that is good enough, whatever it was before. */
  readonly threshold: number;
  /** The allowed drop below the hours before, 0 to 1. */
  readonly drop: number;
  readonly windowMs: number;
  /** With fewer reads within the window, nothing is concluded. */
  readonly minRequests: number;
}

/** Reads that could come from the cache, and those that did. */
export interface Reads {
  readonly hits: number;
  readonly all: number;
}

/** The period for comparison: long enough for a warm cache, short enough to use the finer rows. */
const BASELINE_MS = LONGEST_BASELINE_MS;

/** Values of `x-cache` on reads that came from the cache, and on those that needed bytes of a store. */
export const hitResults: readonly string[] = ['HIT', 'STALE', 'REVALIDATED'];
export const missResults: readonly string[] = ['MISS', 'PARTIAL'];

/**
 * The cache answers a smaller share of reads than before (docs/cards.md §4, 9). A low ratio alone is no alarm, since
 * some workloads hardly repeat reads.
 */
export const hitRatioDrop: RuleDefinition<HitRatioDropOptions> = {
  name: 'hitRatioDrop',
  title: 'The hit ratio has dropped',
  advice:
    'Clients read other objects than before, or objects were purged, or their time to live was shortened. The status page shows the hit ratio of each bucket.',
  measures: [requests],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: {
    severity: 'warning',
    threshold: 0.8,
    drop: 0.2,
    windowMs: 10 * 60_000,
    minRequests: 1_000,
    forMs: 10 * 60_000,
    clearForMs: 10 * 60_000,
  },
  evaluate: ({ history }, options) => {
    const now = countReads(history.increase(requests, options.windowMs).series);
    const before = countReads(history.increase(requests, BASELINE_MS, options.windowMs).series);
    if (Math.min(now.all, before.all) < options.minRequests) return [{ kind: 'no-data', labels: {} }];
    const ratio = now.hits / now.all;
    const isFine = ratio >= options.threshold || ratio > before.hits / before.all - options.drop;
    return [isFine ? { kind: 'clear', labels: {} } : breach(now, before, options)];
  },
  example: options => breach({ hits: 8_820, all: 21_000 }, { hits: 512_400, all: 560_000 }, options),
};

/** Counts the series of `requests`. */
export function countReads(series: readonly Series[]): Reads {
  const hits = total(series, ({ cache = '' }) => hitResults.includes(cache));
  return { hits, all: hits + total(series, ({ cache = '' }) => missResults.includes(cache)) };
}

function breach(now: Reads, before: Reads, options: HitRatioDropOptions): Breach {
  const ratio = formatShare(now.hits / now.all);
  const usual = formatShare(before.hits / before.all);
  return {
    kind: 'breach',
    labels: {},
    summary: `The cache answers ${ratio} of reads; in the hours before it was ${usual}.`,
    facts: [
      {
        name: 'Hit ratio',
        value: `${ratio} of ${formatCount(now.all)} in ${describeDuration(options.windowMs)}`,
      },
      { name: 'Before', value: `${usual} of ${formatCount(before.all)}` },
      {
        name: 'Threshold',
        value: `below ${formatShare(options.threshold)}, after a drop by ${formatPoints(options.drop)}`,
      },
    ],
  };
}

function formatPoints(share: number): string {
  return `${Number((share * 100).toPrecision(2))} points`;
}
