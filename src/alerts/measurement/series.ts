import type { Labels } from '../alert.ts';

/** A value with its labels. */
export interface Series {
  readonly labels: Labels;
  readonly value: number;
}

/** The sum of the series for which `counts` is true. */
export function total(series: readonly Series[], counts: (labels: Labels) => boolean = () => true): number {
  return series.reduce((sum, { labels, value }) => (counts(labels) ? sum + value : sum), 0);
}

/** Groups series by the value of one label, in order of first appearance. */
export function byLabel(series: readonly Series[], label: string): ReadonlyMap<string, readonly Series[]> {
  return Map.groupBy(series, ({ labels }) => labels[label] ?? '');
}

/**
 * The `q`th quantile (0 to 1) of a histogram's cumulative buckets (label `le`), interpolated within its bucket; above
 * the highest bound, that bound (like Prometheus). `count` is 0 when nothing was observed.
 */
export function quantile(
  buckets: readonly Series[],
  q: number,
): { readonly value: number; readonly count: number } {
  const cumulated = cumulatedBuckets(buckets);
  const count = cumulated.at(-1)?.count ?? 0;
  if (count === 0) return { value: Number.NaN, count };
  let below = { bound: 0, count: 0 };
  for (const bucket of cumulated) {
    if (bucket.count >= q * count) return { value: interpolate(below, bucket, q * count), count };
    below = bucket;
  }
  return { value: below.bound, count };
}

interface Bucket {
  readonly bound: number;
  readonly count: number;
}

/** One bucket per bound, ascending, summed over all series. */
function cumulatedBuckets(series: readonly Series[]): readonly Bucket[] {
  return Array.from(byLabel(series, 'le'), ([le, ofBound]) => ({
    bound: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
    count: total(ofBound),
  })).sort((a, b) => a.bound - b.bound);
}

function interpolate(below: Bucket, bucket: Bucket, rank: number): number {
  if (bucket.bound === Number.POSITIVE_INFINITY) return below.bound;
  const within = bucket.count - below.count;
  const share = within > 0 ? (rank - below.count) / within : 1;
  return below.bound + (bucket.bound - below.bound) * share;
}
