/** Part of a worker's composition root: where the spans of its requests go. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { OtlpOptions } from '../base/otlp-spans.ts';
import type { Tracing } from '../base/spans.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { sampleShare } from '../http/trace-context.ts';

interface TracingParts extends Pick<OtlpOptions, 'redact' | 'metrics' | 'logger' | 'clock'> {
  readonly config: GatewayConfig;
  /** The index of the worker. */
  readonly worker: number;
}

/** Tracing whose last spans must be sent before its thread ends. */
interface StartedTracing extends Tracing {
  /** Never rejects, and takes a few seconds at most. */
  flush(): Promise<void>;
}

/** How long the thread waits for the collector before it ends. */
const FLUSH_LIMIT_MS = 2_000;

/** Undefined if tracing is not configured; the library is not loaded then. */
export async function startTracing({
  config: { tracing },
  worker,
  ...parts
}: TracingParts): Promise<StartedTracing | undefined> {
  if (!tracing) return undefined;
  const { OtlpSpans } = await import('../base/otlp-spans.ts');
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const instance = `${hostname()}-${process.pid}-${worker}`;
  const { endpoint, headers } = tracing;
  const spans = new OtlpSpans({ ...parts, endpoint, headers, instance, version: String(version) });
  return { spans, sample: sampleShare(tracing.sample), flush: () => spans.flush(FLUSH_LIMIT_MS) };
}
