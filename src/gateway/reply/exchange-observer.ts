import type { Clock } from '../../base/clock.ts';
import { LimitedLines } from '../../base/limited-lines.ts';
import type { Logger } from '../../base/logger.ts';
import type { CounterCell, Family, GaugeCell, HistogramCell, Metrics } from '../../base/metrics.ts';
import type { SpanSink } from '../../base/spans.ts';
import { isErrorCode } from '../../s3/error-codes.ts';
import { OverloadedError } from '../fill/fill-error.ts';
import { type Admission, TooManyRequestsError } from '../request/admission.ts';
import type { CacheResult } from '../request/cache-status.ts';
import type { Exchange } from '../request/exchange.ts';
import { ReceivedBody } from '../request/received-body.ts';
import type { AccessLog } from './access-log.ts';
import type { BodyRates } from './body-rates.ts';
import { type PendingSends, StalledClientError } from './pending-sends.ts';
import { serverSpan } from './server-span.ts';

const secondsBounds = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  // a read that is given up after the default `timeouts.firstByte` takes a little more than 10 s
  ...[12.5, 15, 20, 30, 60],
];

/** The metric cells for one kind of answer. */
interface AnswerCells {
  readonly requests: CounterCell;
  readonly bytes: CounterCell;
  readonly firstByte: HistogramCell;
  readonly duration: HistogramCell;
  /** Undefined for requests that bypassed the cache. */
  readonly lookups: CounterCell | undefined;
}

/** The labels that identify a kind of answer, with its cells. */
interface KindOfAnswer {
  readonly bucket: string;
  readonly operation: string;
  readonly status: number;
  readonly result: CacheResult;
  readonly cells: AnswerCells;
}

/** A read that was refused because the object is archived; `bucket` is the metric label. */
export interface ArchivedRead {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
}

interface ExchangeObserverOptions {
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Receives one line per request; undefined: no access log. */
  readonly accessLog: AccessLog | undefined;
  /** Receives warnings about requests; undefined: none. */
  readonly logger?: Logger;
  readonly admission: Admission;
  readonly sends: PendingSends;
  readonly rates: BodyRates;
  /** Receives the spans of sampled requests; undefined: none. */
  readonly spans?: SpanSink | undefined;
  /** Called for each read of an archived object. */
  readonly onArchivedRead: (read: ArchivedRead) => void;
}

/** Counts each answer and writes its log line. */
export class ExchangeObserver {
  /** Receives one line per request; undefined: no access log. */
  access: AccessLog | undefined;
  /** Responses that wait for their clients. */
  readonly sends: PendingSends;
  /** How fast bodies may be sent. */
  readonly rates: BodyRates;
  readonly #clock: Clock;
  readonly #spans: SpanSink | undefined;
  readonly #onArchivedRead: (read: ArchivedRead) => void;
  readonly #admission: Admission;
  readonly #requests: Family<CounterCell>;
  readonly #bytes: Family<CounterCell>;
  readonly #received: Family<CounterCell>;
  readonly #firstByte: Family<HistogramCell>;
  readonly #duration: Family<HistogramCell>;
  readonly #errors: Family<CounterCell>;
  readonly #shed: Readonly<Record<'memory' | 'requests' | 'stalled', CounterCell>>;
  readonly #lookups: Family<CounterCell>;
  /** Reads sent to a fallback store, by the backend that failed. */
  readonly fallbacks: Family<CounterCell>;
  readonly #inFlight: GaugeCell;
  readonly #cells = new Map<string, AnswerCells>();
  readonly #signatures: LimitedLines | undefined;
  #last: KindOfAnswer | undefined;

  constructor(options: ExchangeObserverOptions) {
    const { metrics, clock, accessLog, logger, onArchivedRead, admission, sends, rates } = options;
    this.#signatures = logger && new LimitedLines(logger, clock);
    this.#clock = clock;
    this.#spans = options.spans;
    this.access = accessLog;
    this.#admission = admission;
    this.sends = sends;
    this.rates = rates;
    this.#onArchivedRead = onArchivedRead;
    const labels = ['bucket', 'operation', 'status', 'cache'];
    this.#requests = metrics.counter('tidegate_requests_total', 'Requests answered.', labels);
    this.#bytes = metrics.counter('tidegate_response_bytes_total', 'Body bytes sent to clients.', [
      'bucket',
      'cache',
    ]);
    this.#received = metrics.counter('tidegate_request_bytes_total', 'Body bytes received from clients.', [
      'bucket',
    ]);
    this.#firstByte = metrics.histogram(
      'tidegate_request_first_byte_seconds',
      'Time from a request to the head of its answer.',
      ['cache'],
      secondsBounds,
    );
    this.#duration = metrics.histogram(
      'tidegate_request_duration_seconds',
      'Time from a request to the last byte of its answer.',
      ['cache'],
      secondsBounds,
    );
    this.fallbacks = metrics.counter(
      'tidegate_backend_fallbacks_total',
      'Reads sent to the fallback of a backend because the backend failed.',
      ['backend'],
    );
    this.#errors = metrics.counter(
      'tidegate_error_responses_total',
      'Error answers, by code of the store protocol (others count as _other) and by whose verdict they are.',
      ['bucket', 'code', 'by'],
    );
    const shed = metrics.counter(
      'tidegate_requests_shed_total',
      'Requests sent away, or cut off while their clients took nothing, for want of room.',
      ['reason'],
    );
    this.#shed = {
      memory: shed.cell('memory'),
      requests: shed.cell('requests'),
      stalled: shed.cell('stalled'),
    };
    this.#lookups = metrics.counter(
      'tidegate_cache_lookups_total',
      'Objects looked up in a tier of the cache.',
      ['tier', 'result'],
    );
    this.#inFlight = metrics.gauge('tidegate_requests_in_flight', 'Requests being answered.').cell();
  }

  /** Answers may come long after their requests. */
  get nowMs(): number {
    return this.#clock.nowMs();
  }

  /** The head of an answer goes out before its last byte, or has arrived from the store. */
  firstByte(exchange: Exchange): void {
    exchange.firstByteMs = this.#clock.monotonicMs();
  }

  /**
   * Must be called before `exchange` waits for a store.
   *
   * @throws TooManyRequestsError
   */
  waitsForStore(exchange: Exchange): void {
    this.#admission.admit(exchange);
  }

  began(): void {
    this.#inFlight.value++;
  }

  /** The body of the request is about to be read, or its rest; its bucket is known. */
  receives(exchange: Exchange): ReceivedBody {
    exchange.received ??= new ReceivedBody(this.#received.cell(exchange.bucket));
    return exchange.received;
  }

  /** `exchange` is over, completely answered or not. */
  sent(exchange: Exchange): void {
    if (exchange.isOver) return;
    exchange.isOver = true;
    this.#inFlight.value--;
    const endMs = this.#clock.monotonicMs();
    const cells = this.#cellsOf(exchange);
    cells.requests.value++;
    if (cells.lookups) cells.lookups.value++;
    cells.bytes.value += exchange.bodyBytes;
    cells.firstByte.observe(((exchange.firstByteMs || endMs) - exchange.startedMs) / 1000);
    cells.duration.observe((endMs - exchange.startedMs) / 1000);
    if (exchange.failure) this.#failed(exchange.failure);
    if (exchange.errorCode) this.#refused(exchange, exchange.errorCode);
    this.access?.note(exchange, endMs);
    if (exchange.trace?.isSampled) this.#spans?.add(serverSpan(exchange, exchange.trace, endMs, this.#clock));
  }

  #failed(failure: Error): void {
    if (failure instanceof OverloadedError) this.#shed.memory.value++;
    if (failure instanceof TooManyRequestsError) this.#shed.requests.value++;
    if (failure instanceof StalledClientError) this.#shed.stalled.value++;
  }

  #refused(exchange: Exchange, code: string): void {
    const { bucket, key, versionId, refusedBy } = exchange;
    if (exchange.refusedSignature) this.#tellOfSignature(exchange);
    // a store may use codes of its own; as a label only those of the protocol are used
    this.#errors.cell(bucket, isErrorCode(code) ? code : '_other', refusedBy).value++;
    if (code !== 'InvalidObjectState' || key === undefined) return;
    this.#onArchivedRead({ bucket, key, ...(versionId === undefined ? {} : { versionId }) });
  }

  #tellOfSignature({ requestId, bucket, errorCode, refusedSignature }: Exchange): void {
    const fields = { requestId, bucket, code: errorCode, ...refusedSignature };
    this.#signatures?.write('warn', fields, 'a signature was refused');
  }

  /** Fast path: most answers are of the same kind as the previous one. */
  #cellsOf(exchange: Exchange): AnswerCells {
    const { bucket, operation, status, report } = exchange;
    const last = this.#last;
    if (
      last?.status === status &&
      last.result === report.result &&
      last.bucket === bucket &&
      last.operation === operation
    ) {
      return last.cells;
    }
    const cells = this.#findCells(exchange);
    this.#last = { bucket, operation, status, result: report.result, cells };
    return cells;
  }

  #findCells({ bucket, operation, status, report }: Exchange): AnswerCells {
    // unambiguous: only the name of a bucket may contain a space
    const id = `${operation} ${status} ${report.result} ${bucket}`;
    const known = this.#cells.get(id);
    if (known) return known;
    const cells = {
      requests: this.#requests.cell(bucket, operation, String(status), report.result),
      bytes: this.#bytes.cell(bucket, report.result),
      firstByte: this.#firstByte.cell(report.result),
      duration: this.#duration.cell(report.result),
      lookups:
        report.result === 'BYPASS' ? undefined : this.#lookups.cell('memory', lookupResult(report.result)),
    };
    this.#cells.set(id, cells);
    return cells;
  }
}

/** Stale and revalidated answers count as hits: their bytes came from the cache. */
function lookupResult(result: CacheResult): string {
  if (result === 'MISS') return 'miss';
  return result === 'PARTIAL' ? 'partial' : 'hit';
}
