import type { Clock } from '../base/clock.ts';
import type { FinishedSpan, SpanSink } from '../base/spans.ts';
import { formatTraceparent, newSpanId, type TraceContext } from '../http/trace-context.ts';
import type { SentRequest } from './call-context.ts';
import type { OriginReceiver } from './origin-call.ts';
import type { StoreError, StoreRequest } from './store.ts';

/** The trace fields of a request to a store, names and values alternating. The signature does not cover them. */
export function traceFields(trace: TraceContext, traceparent = trace.traceparent): string[] {
  const { tracestate } = trace;
  const fields = ['traceparent', traceparent];
  return tracestate === undefined ? fields : [...fields, 'tracestate', tracestate];
}

/** The attributes of a call's span that are known before its outcome. */
interface TracedRequest {
  readonly method: string;
  readonly operation: string;
  readonly reason: StoreRequest['reason'] | undefined;
  readonly backend: string;
  /** Of the store, with port if any. */
  readonly host: string;
  /** Without secrets. */
  readonly url: string;
}

/**
 * A call to a store whose span is recorded, from its sending to its end, with the attributes of OpenTelemetry's
 * semantic conventions for HTTP clients. A call that is sent again has one span for each attempt.
 */
export class TracedCall implements OriginReceiver, SentRequest {
  /** The fields of the request. */
  readonly fields: string[];
  readonly #receiver: OriginReceiver;
  readonly #request: TracedRequest;
  readonly #trace: TraceContext;
  readonly #spans: SpanSink;
  readonly #clock: Clock;
  readonly #spanId = newSpanId();
  readonly #startedMs: number;
  #sent: SentRequest | undefined;
  #status: number | undefined;
  #isOver = false;

  constructor(
    receiver: OriginReceiver,
    request: TracedRequest,
    trace: TraceContext,
    { spans, clock }: { readonly spans: SpanSink; readonly clock: Clock },
  ) {
    this.#receiver = receiver;
    this.#request = request;
    this.#trace = trace;
    this.#spans = spans;
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
    this.fields = traceFields(trace, formatTraceparent(trace.traceId, this.#spanId, true));
  }

  /** Attaches the request that this records, so that pausing and aborting reach it. */
  follow(sent: SentRequest): this {
    this.#sent = sent;
    return this;
  }

  pause(): void {
    this.#sent?.pause();
  }

  resume(): void {
    this.#sent?.resume();
  }

  abort(): void {
    this.#end('aborted');
    this.#sent?.abort();
  }

  informed(status: number, rawHeaders: readonly string[]): void {
    this.#receiver.informed?.(status, rawHeaders);
  }

  answered(status: number, rawHeaders: readonly string[]): void {
    this.#status = status;
    this.#receiver.answered(status, rawHeaders);
  }

  arrived(chunk: Buffer): void {
    this.#receiver.arrived(chunk);
  }

  ended(rawTrailers?: readonly string[]): void {
    this.#end(undefined);
    this.#receiver.ended(rawTrailers);
  }

  failed(error: StoreError): void {
    this.#end(error.reason);
    this.#receiver.failed(error);
  }

  #end(failure: string | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#spans.add(this.#finished(failure));
  }

  #finished(failure: string | undefined): FinishedSpan {
    const { method, operation, reason, backend, host, url } = this.#request;
    const { traceId, spanId: parentSpanId } = this.#trace;
    const toEpochMs = this.#clock.nowMs() - this.#clock.monotonicMs();
    const { hostname, port } = new URL(`http://${host}`);
    const status = this.#status;
    // the conventions count 4xx as errors of a client's span; a 304 or 416 is an expected answer
    const isRefused = status !== undefined && status >= 400 && status !== 416;
    const isError = isRefused || (failure !== undefined && failure !== 'aborted');
    return {
      ...{ kind: 'client', name: `${method} ${operation}`, traceId, spanId: this.#spanId, parentSpanId },
      ...{ startMs: this.#startedMs + toEpochMs, endMs: this.#clock.nowMs(), isError },
      attributes: {
        'http.request.method': method,
        'url.full': url,
        'server.address': hostname,
        'server.port': port === '' ? undefined : Number(port),
        'http.response.status_code': status,
        'error.type': isError ? (failure ?? String(status)) : undefined,
        'tidegate.backend': backend,
        'tidegate.operation': operation,
        'tidegate.reason': reason,
        'tidegate.outcome': failure === 'aborted' ? failure : undefined,
      },
    };
  }
}
