import { getRandomValues } from 'node:crypto';
import { withoutWhiteSpace } from './white-space.ts';

/** The trace fields of requests (W3C Trace Context, level 1). */
interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the span of the caller. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/**
 * The trace of a request, for its calls to stores and its log line. Plain data, since it is also sent to other workers.
 */
export interface TraceContext {
  readonly traceId: string;
  /** The span of this request; undefined when the gateway records no spans and only passes the trace on. */
  readonly spanId: string | undefined;
  /** The caller's span. */
  readonly parentSpanId: string | undefined;
  /** Whether spans are recorded. */
  readonly isSampled: boolean;
  /** `traceparent` and `tracestate` for the store. */
  readonly traceparent: string;
  readonly tracestate: string | undefined;
}

/** The fields by which a trace is told. */
export const traceFieldNames: ReadonlySet<string> = new Set(['traceparent', 'tracestate']);

/** Whether spans of a new trace are recorded. */
type Sample = (traceId: string) => boolean;

const parentPattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/s;
const onlyZeros = /^0+$/;

/** A longer `tracestate` need not be passed on (W3C Trace Context §3.3.1.5). */
const STATE_LIMIT = 1_024;
const STATE_MEMBERS = 32;
const stateMember =
  /^(?:[a-z][a-z\d_\-*/]{0,255}|[a-z\d][a-z\d_\-*/]{0,240}@[a-z][a-z\d_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Parses a `traceparent` (W3C Trace Context §3.2); undefined if it is malformed and must be ignored. */
export function parseTraceparent(text: string): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = parentPattern.exec(text) ?? [];
  if (version === undefined || version === 'ff') return undefined;
  // later versions may append fields (§3.2.4)
  if (version === '00' && more !== undefined) return undefined;
  if (onlyZeros.test(traceId) || onlyZeros.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** `text` if it is a valid `tracestate` (W3C Trace Context §3.3) within the length limit; otherwise undefined. */
export function validTracestate(text: string | undefined): string | undefined {
  if (text === undefined || text.length > STATE_LIMIT) return undefined;
  const members = text.split(',').map(withoutWhiteSpace);
  const named = members.filter(member => member !== '');
  if (named.length === 0 || members.length > STATE_MEMBERS) return undefined;
  if (!named.every(member => stateMember.test(member))) return undefined;
  const keys = new Set(named.map(member => member.slice(0, member.indexOf('='))));
  return keys.size === named.length ? text : undefined;
}

/**
 * The trace of a request.
 *
 * @param traceparent and `tracestate`: the fields of the request, as they came
 * @param sample undefined: the gateway records no spans. Then it passes a valid trace on, and begins none. What a later
 *   version appends is left out: it has no limit, and other clients wait for the same call to the store
 */
export function traceOf(
  traceparent: string | undefined,
  tracestate: string | undefined,
  sample: Sample | undefined,
): TraceContext | undefined {
  const parent = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  const state = parent && validTracestate(tracestate);
  if (!sample) {
    if (!parent || traceparent === undefined) return undefined;
    const { traceId, spanId } = parent;
    const unrecorded = { spanId: undefined, parentSpanId: spanId, isSampled: false };
    const passedOn = traceparent.startsWith('00')
      ? traceparent
      : formatTraceparent(traceId, spanId, parent.isSampled);
    return { traceId, ...unrecorded, traceparent: passedOn, tracestate: state };
  }
  const traceId = parent?.traceId ?? randomHex(16);
  const spanId = randomHex(8);
  const isSampled = parent ? parent.isSampled : sample(traceId);
  return {
    ...{ traceId, spanId, parentSpanId: parent?.spanId, isSampled },
    traceparent: formatTraceparent(traceId, spanId, isSampled),
    tracestate: state,
  };
}

export function formatTraceparent(traceId: string, spanId: string, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Samples a share of all traces by their ids, so that all services that use the same rule choose the same traces. */
export function sampleShare(share: number): Sample {
  const limit = share * 2 ** 48;
  return traceId => Number.parseInt(traceId.slice(-12), 16) < limit;
}

/** The id of a new span. */
export function newSpanId(): string {
  return randomHex(8);
}

const pool = Buffer.alloc(4_096);
let usedBytes = pool.length;

/** Random bytes in hexadecimal digits; not all are zero. */
function randomHex(sizeBytes: number): string {
  if (usedBytes + sizeBytes > pool.length) {
    getRandomValues(pool);
    usedBytes = 0;
  }
  usedBytes += sizeBytes;
  const hex = pool.toString('hex', usedBytes - sizeBytes, usedBytes);
  return onlyZeros.test(hex) ? randomHex(sizeBytes) : hex;
}
