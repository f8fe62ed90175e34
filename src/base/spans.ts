/** A request that was answered (server), or a call to a store that is over (client). */
export interface FinishedSpan {
  readonly kind: 'server' | 'client';
  /** Of few values: method and operation. */
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** In milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  /** By names of the semantic conventions for HTTP; what is undefined is left out. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  /** Whether it failed. */
  readonly isError: boolean;
}

/** Takes finished spans. */
export interface SpanSink {
  add(span: FinishedSpan): void;
}

/** Where spans go, and which new traces are recorded. */
export interface Tracing {
  readonly spans: SpanSink;
  readonly sample: (traceId: string) => boolean;
}
