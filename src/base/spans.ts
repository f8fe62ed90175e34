/** A finished request of a client (`server`) or a finished call to a store (`client`). */
export interface FinishedSpan {
  readonly kind: 'server' | 'client';
  /** Method and operation, so there are few different names. */
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** In milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  /** Attributes by their names in the semantic conventions for HTTP; undefined ones are left out. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  /** Whether it failed. */
  readonly isError: boolean;
}

/** Takes finished spans. */
export interface SpanSink {
  add(span: FinishedSpan): void;
}

/** Where spans are sent, and which new traces are recorded. */
export interface Tracing {
  readonly spans: SpanSink;
  readonly sample: (traceId: string) => boolean;
}
