/** Buckets for each doubling of the latency: a quantile is at most a tenth too high. */
const BUCKETS_OF_DOUBLING = 8;

/** Buckets cover latencies from 0.1 ms to about 7 minutes; others count in the first or the last bucket. */
const LEAST_MS = 0.1;
const BUCKETS = 22 * BUCKETS_OF_DOUBLING;

/** A latency counts for one to two windows. */
const WINDOW_MS = 30_000;

/** Recent latencies, in memory of a fixed size. */
export class LatencyHistogram {
  #before = new Uint32Array(BUCKETS);
  #current = new Uint32Array(BUCKETS);
  #index = -1;

  add(latencyMs: number, nowMs: number): void {
    this.#moveTo(nowMs);
    const bucket = bucketOf(latencyMs);
    this.#current[bucket] = (this.#current[bucket] ?? 0) + 1;
  }

  /**
   * The latency that the share `quantile` of the recent reads does not exceed, up to the width of a bucket.
   *
   * @param leastCount with fewer recent latencies the result is undefined
   */
  quantileMs(quantile: number, leastCount: number, nowMs: number): number | undefined {
    this.#moveTo(nowMs);
    let count = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) count += this.#countIn(bucket);
    if (count < leastCount) return undefined;
    let left = Math.ceil(quantile * count);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      left -= this.#countIn(bucket);
      if (left <= 0) return LEAST_MS * 2 ** ((bucket + 1) / BUCKETS_OF_DOUBLING);
    }
    return undefined;
  }

  #countIn(bucket: number): number {
    return (this.#before[bucket] ?? 0) + (this.#current[bucket] ?? 0);
  }

  #moveTo(nowMs: number): void {
    const index = Math.floor(nowMs / WINDOW_MS);
    if (index === this.#index) return;
    [this.#before, this.#current] = [this.#current, this.#before];
    if (index !== this.#index + 1) this.#before.fill(0);
    this.#current.fill(0);
    this.#index = index;
  }
}

function bucketOf(latencyMs: number): number {
  const bucket = Math.floor(Math.log2(Math.max(latencyMs, LEAST_MS) / LEAST_MS) * BUCKETS_OF_DOUBLING);
  return Math.min(bucket, BUCKETS - 1);
}
