import { DownsampledRows } from '../../alerts/measurement/downsampled-rows.ts';
import { MeasurementHistory } from '../../alerts/measurement/history.ts';
import {
  backendBytes,
  firstByteSeconds,
  receivedBytes,
  requestsByBucket,
  sentBytes,
} from '../../alerts/measurement/measure.ts';
import { byLabel, quantile, type Series, total } from '../../alerts/measurement/series.ts';
import { isServerError } from '../../alerts/rules/attempts.ts';
import { countReads, type Reads } from '../../alerts/rules/hit-ratio-drop.ts';
import type { Clock } from '../../base/clock.ts';
import type { MetricSnapshot } from '../../base/metric-snapshot.ts';
import { SampleRing } from './sample-ring.ts';

/** One number per sample and name, all lists of one length. Counts are of the time since the sample before. */
export interface TrafficColumns {
  /** When the sample was taken, milliseconds since the epoch. */
  readonly atMs: readonly number[];
  /** The time since the sample before. */
  readonly seconds: readonly number[];
  readonly requests: readonly number[];
  /** Answered with a server error. */
  readonly errors: readonly number[];
  /** Requests that could be answered from the cache. */
  readonly reads: readonly number[];
  /** Of the reads, those that needed no bytes from a store. */
  readonly hits: readonly number[];
  readonly sentBytes: readonly number[];
  readonly storeBytes: readonly number[];
  /** Received from clients. */
  readonly receivedBytes: readonly number[];
  /** Time to the head of an answer, interpolated in the buckets of the histogram; null without requests. */
  readonly firstByteP50S: readonly (number | null)[];
  readonly firstByteP99S: readonly (number | null)[];
}

/** Reads of one bucket; `name` is null for those that have no place of their own. */
interface BucketColumns {
  readonly name: string | null;
  readonly reads: readonly number[];
  readonly hits: readonly number[];
}

/** The JSON of `/api/status/history`. */
export interface TrafficReport {
  /** Numbers of samples begin anew with the process. */
  readonly startedAt: string;
  /** Pass it as `after` to get only what comes later. */
  readonly next: number;
  readonly samples: TrafficColumns;
  readonly buckets: readonly BucketColumns[];
}

/** An hour of the samples that alerts take every five seconds. */
const KEPT_SAMPLES = 720;
/** Buckets with columns of their own; further ones share the last. */
const MAX_BUCKETS = 16;
const MINUTE_MS = 60_000;

/** The columns of a row; two of each bucket follow. */
const columns = {
  monotonicMs: 0,
  seconds: 1,
  requests: 2,
  errors: 3,
  reads: 4,
  hits: 5,
  sentBytes: 6,
  storeBytes: 7,
  receivedBytes: 8,
  p50: 9,
  p99: 10,
} as const;
const FIRST_BUCKET = Object.keys(columns).length;

/** The traffic of the last hour, of which a page can show curves at once when it is opened. Its size is fixed. */
export class TrafficHistory {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #recent = new MeasurementHistory(
    [requestsByBucket, firstByteSeconds, sentBytes, backendBytes, receivedBytes],
    new DownsampledRows([{ spacingMs: 0, keepMs: 2 * MINUTE_MS }]),
  );
  readonly #ring = new SampleRing(KEPT_SAMPLES, FIRST_BUCKET + 2 * (MAX_BUCKETS + 1));
  /** The place of each bucket in a row. */
  readonly #places = new Map<string, number>();
  #lastMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.nowMs();
  }

  /** Adds what happened since the last snapshot; the first one is only a baseline. */
  record(snapshot: MetricSnapshot): void {
    // whole numbers, so that the time since the sample before leads back to exactly that one
    const nowMs = Math.round(this.#clock.monotonicMs());
    const sinceMs = nowMs - (this.#lastMs ?? nowMs);
    if (this.#lastMs !== undefined && sinceMs <= 0) return;
    this.#recent.record(snapshot, nowMs);
    this.#lastMs = nowMs;
    if (sinceMs > 0) this.#ring.add(this.#row(nowMs, sinceMs));
  }

  /**
   * The samples from number `after` on. A number that was not given out yet is one of an earlier process: then all
   * samples are returned.
   */
  report(after = 0): TrafficReport {
    const from = after > this.#ring.added ? this.#ring.oldest : Math.max(after, this.#ring.oldest);
    const read = (column: number) => this.#ring.column(column, from);
    // times are told by today's wall clock, so that they stay in order when it is set
    const wallMs = this.#clock.nowMs() - this.#clock.monotonicMs();
    return {
      startedAt: new Date(this.#startedMs).toISOString(),
      next: this.#ring.added,
      samples: {
        atMs: read(columns.monotonicMs).map(ms => Math.round(wallMs + ms)),
        seconds: read(columns.seconds),
        requests: read(columns.requests),
        errors: read(columns.errors),
        reads: read(columns.reads),
        hits: read(columns.hits),
        sentBytes: read(columns.sentBytes),
        storeBytes: read(columns.storeBytes),
        receivedBytes: read(columns.receivedBytes),
        firstByteP50S: read(columns.p50).map(orNull),
        firstByteP99S: read(columns.p99).map(orNull),
      },
      buckets: this.#buckets(read),
    };
  }

  /** The reads of the last minute by bucket, as the metrics name them. */
  readsOfLastMinute(): ReadonlyMap<string, Reads> {
    const { series } = this.#recent.increase(requestsByBucket, MINUTE_MS);
    return new Map(Array.from(byLabel(series, 'bucket'), ([bucket, own]) => [bucket, countReads(own)]));
  }

  #row(nowMs: number, sinceMs: number): readonly number[] {
    const grown = (measure: Parameters<MeasurementHistory['increase']>[0]) =>
      this.#recent.increase(measure, sinceMs).series;
    const requests = grown(requestsByBucket);
    const firstByte = grown(firstByteSeconds);
    const reads = countReads(requests);
    return [
      ...[nowMs, sinceMs / 1_000, total(requests), total(requests, isServerError), reads.all, reads.hits],
      ...[total(grown(sentBytes)), total(grown(backendBytes)), total(grown(receivedBytes))],
      ...[quantile(firstByte, 0.5).value, quantile(firstByte, 0.99).value],
      ...this.#bucketCells(requests),
    ];
  }

  #bucketCells(requests: readonly Series[]): readonly number[] {
    const cells = new Array<number>(2 * (MAX_BUCKETS + 1)).fill(0);
    for (const [bucket, own] of byLabel(requests, 'bucket')) {
      const { all, hits } = countReads(own);
      if (all === 0) continue;
      const place = 2 * this.#placeOf(bucket);
      cells[place] = (cells[place] ?? 0) + all;
      cells[place + 1] = (cells[place + 1] ?? 0) + hits;
    }
    return cells;
  }

  #placeOf(bucket: string): number {
    const place = this.#places.get(bucket) ?? this.#places.size;
    if (place < MAX_BUCKETS) this.#places.set(bucket, place);
    return place;
  }

  #buckets(read: (column: number) => number[]): readonly BucketColumns[] {
    const places: [string | null, number][] = [...this.#places, [null, MAX_BUCKETS]];
    return places
      .map(([name, place]) => ({
        name,
        reads: read(FIRST_BUCKET + 2 * place),
        hits: read(FIRST_BUCKET + 2 * place + 1),
      }))
      .filter(({ name, reads }) => name !== null || reads.some(count => count > 0));
  }
}

/** JSON has no NaN. */
function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
