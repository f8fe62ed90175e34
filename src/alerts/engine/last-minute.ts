import type { GaugeCell, Metrics } from '../../base/metrics.ts';
import type { History } from '../measurement/history.ts';
import { backendAttempts, firstByteSeconds, requests } from '../measurement/measure.ts';
import { quantile, total } from '../measurement/series.ts';
import { attemptsByBackend, isServerError } from '../rules/attempts.ts';
import { countReads } from '../rules/hit-ratio-drop.ts';

/** How the gateway did in the last minute. Shares are from 0 to 1; null where there was nothing to measure. */
export interface LastMinute {
  readonly requests: number;
  /** The share answered with a server error. */
  readonly errorRatio: number | null;
  /** The share of cacheable requests that needed no bytes from a store. */
  readonly hitRatio: number | null;
  readonly firstByteS: { readonly p50: number | null; readonly p99: number | null };
  readonly backends: Readonly<Record<string, BackendMinute>>;
}

interface BackendMinute {
  readonly requests: number;
  readonly failed: number;
  readonly errorRatio: number | null;
}

const MINUTE_MS = 60_000;

export const lastMinuteMeasures = [requests, firstByteSeconds, backendAttempts] as const;

/** The figures of the minute before the latest sample; `history` must keep `lastMinuteMeasures`. */
export function lastMinute(history: History): LastMinute {
  const { series } = history.increase(requests, MINUTE_MS);
  const reads = countReads(series);
  const all = total(series);
  const buckets = history.increase(firstByteSeconds, MINUTE_MS).series;
  const attempts = attemptsByBackend(history.increase(backendAttempts, MINUTE_MS).series);
  return {
    requests: all,
    errorRatio: share(total(series, isServerError), all),
    hitRatio: share(reads.hits, reads.all),
    firstByteS: { p50: known(quantile(buckets, 0.5).value), p99: known(quantile(buckets, 0.99).value) },
    backends: Object.fromEntries(
      Array.from(attempts, ([backend, { total: asked, failed }]) => [
        backend,
        { requests: asked, failed, errorRatio: share(failed, asked) },
      ]),
    ),
  };
}

/** Shows the figures as metrics, for pages and rules that ask at one moment; NaN where there is nothing to measure. */
export class LastMinuteGauges {
  readonly #hitRatio: GaugeCell;
  readonly #errorRatio: GaugeCell;
  readonly #p50: GaugeCell;
  readonly #p99: GaugeCell;
  readonly #backend: (backend: string) => GaugeCell;

  constructor(metrics: Metrics) {
    const gauge = (name: string, help: string, labels: readonly string[] = []) =>
      metrics.gauge(`tidegate_${name}`, help, labels);
    const firstByte = gauge(
      'last_minute_first_byte_seconds',
      'Time to the head of an answer in the last minute.',
      ['quantile'],
    );
    const backends = gauge(
      'backend_last_minute_error_ratio',
      'Share of the requests to a backend that failed in the last minute.',
      ['backend'],
    );
    this.#hitRatio = gauge(
      'last_minute_hit_ratio',
      'Share of cacheable requests of the last minute that needed no bytes from a store.',
    ).cell();
    this.#errorRatio = gauge(
      'last_minute_error_ratio',
      'Share of the requests of the last minute that were answered with a server error.',
    ).cell();
    this.#p50 = firstByte.cell('0.5');
    this.#p99 = firstByte.cell('0.99');
    this.#backend = backend => backends.cell(backend);
  }

  show({ hitRatio, errorRatio, firstByteS, backends }: LastMinute): void {
    this.#hitRatio.set(hitRatio ?? Number.NaN);
    this.#errorRatio.set(errorRatio ?? Number.NaN);
    this.#p50.set(firstByteS.p50 ?? Number.NaN);
    this.#p99.set(firstByteS.p99 ?? Number.NaN);
    for (const [name, { errorRatio: ratio }] of Object.entries(backends))
      this.#backend(name).set(ratio ?? Number.NaN);
  }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
