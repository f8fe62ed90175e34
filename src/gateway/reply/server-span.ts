import type { Clock } from '../../base/clock.ts';
import type { FinishedSpan } from '../../base/spans.ts';
import type { TraceContext } from '../../http/trace-context.ts';
import { loggedUrl } from '../../s3/logged-url.ts';
import { schemeOf } from '../../transport/peer.ts';
import type { Exchange } from '../request/exchange.ts';

/** Methods that the conventions list; any other is recorded as `_OTHER`, since it may be any text. */
const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'PUT',
  'POST',
  'DELETE',
  'OPTIONS',
  'PATCH',
]);

/**
 * The span of a finished request, with the attributes of OpenTelemetry's semantic conventions for HTTP servers. Secrets
 * are removed from the URL, as in the log.
 *
 * @param endMs like `exchange.startedMs`
 */
export function serverSpan(
  exchange: Exchange,
  trace: TraceContext,
  endMs: number,
  clock: Clock,
): FinishedSpan {
  const { method, operation, status, startedMs, failure, errorCode } = exchange;
  const { headers, httpVersion } = exchange.response.req;
  const agent = headers['user-agent'];
  const [path, query] = splitOnce(loggedUrl(exchange.url), '?');
  const toEpochMs = clock.nowMs() - clock.monotonicMs();
  const isError = status >= 500 || (failure !== undefined && status < 400);
  return {
    ...{ kind: 'server', name: `${methodOf(method)} ${operation}` },
    ...{ traceId: trace.traceId, spanId: trace.spanId ?? '', parentSpanId: trace.parentSpanId },
    ...{ startMs: startedMs + toEpochMs, endMs: endMs + toEpochMs, isError },
    attributes: {
      'http.request.method': methodOf(method),
      'url.path': path,
      'url.query': query,
      'url.scheme': schemeOf(exchange.response.req),
      ...serverOf(headers.host),
      'user_agent.original': agent === undefined ? undefined : loggedUrl(agent),
      'network.protocol.version': httpVersion === '2.0' ? '2' : httpVersion,
      'http.response.status_code': status || undefined,
      'http.response.body.size': exchange.bodyBytes,
      'error.type': isError ? (errorCode ?? failure?.name ?? String(status)) : undefined,
      'tidegate.bucket': exchange.bucket || undefined,
      'tidegate.operation': operation,
      'tidegate.cache': exchange.report.result,
      'tidegate.request_id': exchange.requestId,
    },
  };
}

/** The host that was asked for, and its port where one is named. */
function serverOf(host: string | undefined) {
  const url = URL.parse(`http://${host ?? ''}`);
  if (!url) return { 'server.address': host };
  return { 'server.address': url.hostname, 'server.port': url.port === '' ? undefined : Number(url.port) };
}

function methodOf(method: string): string {
  return knownMethods.has(method) ? method : '_OTHER';
}

function splitOnce(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
