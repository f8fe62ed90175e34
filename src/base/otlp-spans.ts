import { type Attributes, type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { CounterCell, Metrics } from './metrics.ts';
import { withoutSecrets } from './redaction.ts';
import type { FinishedSpan, SpanSink } from './spans.ts';
import { withoutTrailing } from './without-trailing.ts';

/** Where spans are sent, and how this process identifies itself. */
export interface OtlpOptions {
  /** The collector's address for OTLP over HTTP, without `/v1/traces`. */
  readonly endpoint: string;
  /** Sent with each export; their values are secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** `service.instance.id`. */
  readonly instance: string;
  readonly version: string;
  /** Removes configured secrets from text. */
  readonly redact: (text: string) => string;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Spans that wait for an export; more are dropped. */
/** Clients decide the length of some attributes. */
const ATTRIBUTE_LENGTH = 4_096;

const QUEUE_SPANS = 2_048;
const BATCH_SPANS = 512;
const EXPORT_DELAY_MS = 5_000;
const EXPORT_LIMIT_MS = 10_000;

/** A collector that stays unreachable is logged at most this often. */
const LOG_INTERVAL_MS = 60_000;

const scope = { name: 'tidegate' };

/**
 * Sends finished spans to an OpenTelemetry collector, in batches and as JSON. Whatever the collector does, requests are
 * not held up: spans that cannot be sent are dropped and counted.
 */
export class OtlpSpans implements SpanSink {
  readonly #processor: BatchSpanProcessor;
  readonly #resource: Resource;
  readonly #outcomes: Readonly<Record<'exported' | 'failed' | 'dropped', CounterCell>>;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #redact: (text: string) => string;
  #waiting = 0;
  #nextLogMs = -Infinity;

  constructor({ endpoint, headers, instance, version, redact, metrics, logger, clock }: OtlpOptions) {
    this.#logger = logger;
    this.#clock = clock;
    this.#redact = redact;
    const outcomes = metrics.counter(
      'tidegate_spans_total',
      'Spans of sampled requests: sent to the collector, not accepted by it, or dropped because too many were waiting.',
      ['outcome'],
    );
    this.#outcomes = {
      exported: outcomes.cell('exported'),
      failed: outcomes.cell('failed'),
      dropped: outcomes.cell('dropped'),
    };
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, which come last, since an operator has set them
    this.#resource = resourceFromAttributes({
      'service.name': 'tidegate',
      'service.version': version,
      'service.instance.id': instance,
    }).merge(detectResources({ detectors: [envDetector] }));
    const url = `${withoutTrailing(endpoint, '/')}/v1/traces`;
    const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_LIMIT_MS });
    this.#processor = new BatchSpanProcessor({
      exporter: this.#counted(exporter),
      maxQueueSize: QUEUE_SPANS,
      maxExportBatchSize: BATCH_SPANS,
      scheduledDelayMillis: EXPORT_DELAY_MS,
      exportTimeoutMillis: EXPORT_LIMIT_MS,
    });
  }

  add(span: FinishedSpan): void {
    if (this.#waiting >= QUEUE_SPANS) {
      this.#outcomes.dropped.add();
      return;
    }
    this.#waiting++;
    this.#processor.onEnd(readable(span, this.#shown(span), this.#resource));
  }

  /** Sends the spans that wait; resolves when they are sent, or after `limitMs`. Never rejects. */
  async flush(limitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.after(limitMs, resolve);
    const flushed = this.#processor.forceFlush().catch(error => this.#failed(error));
    await Promise.race([flushed, promise]);
    timer.cancel();
  }

  #shown({ attributes }: FinishedSpan): Attributes {
    const shown: Attributes = {};
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined) shown[name] = typeof value === 'string' ? this.#shownText(value) : value;
    return shown;
  }

  /** It is cut last: the beginning of a secret does not look like one. */
  #shownText(text: string): string {
    return withoutSecrets(text, this.#redact).slice(0, ATTRIBUTE_LENGTH);
  }

  #counted(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) => {
        this.#waiting -= spans.length;
        exporter.export(spans, result => {
          const isSent = result.code === 0;
          this.#outcomes[isSent ? 'exported' : 'failed'].add(spans.length);
          if (!isSent) this.#failed(result.error);
          // otherwise the library would log the error itself
          done({ code: 0 });
        });
      },
      shutdown: () => exporter.shutdown(),
      forceFlush: async () => exporter.forceFlush?.(),
    };
  }

  #failed(error: unknown): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#nextLogMs) return;
    this.#nextLogMs = nowMs + LOG_INTERVAL_MS;
    const reason = error instanceof Error ? error.message : String(error);
    this.#logger.warn({ reason: reason.slice(0, 500) }, 'spans could not be sent to tracing.endpoint');
  }
}

function readable(span: FinishedSpan, attributes: Attributes, resource: Resource): ReadableSpan {
  const { name, traceId, spanId, parentSpanId, startMs, endMs, isError } = span;
  const contextOf = (id: string) => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
  return {
    name,
    kind: span.kind === 'server' ? SpanKind.SERVER : SpanKind.CLIENT,
    spanContext: () => contextOf(spanId),
    ...(parentSpanId !== undefined && { parentSpanContext: contextOf(parentSpanId) }),
    startTime: hrTime(startMs),
    endTime: hrTime(endMs),
    duration: hrTime(Math.max(0, endMs - startMs)),
    status: { code: isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
}

/** Seconds and nanoseconds. */
function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1_000);
  return [seconds, Math.round((milliseconds - seconds * 1_000) * 1e6)];
}
