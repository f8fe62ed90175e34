import type { Readable } from 'node:stream';
import type { TraceContext } from '../http/trace-context.ts';
import type { HeaderField } from '../s3/dialect.ts';
import { causeName } from './failure-cause.ts';

/** A request to a store; header names have no dialect prefix. */
export interface StoreRequest {
  readonly method: string;
  /** The API name for metrics; left out for GetObject and HeadObject. */
  readonly operation?: string;
  /** The bucket at the store; undefined for requests to the service itself. */
  readonly bucket: string | undefined;
  /** Decoded key; undefined for requests to the bucket. */
  readonly key: string | undefined;
  /** Raw query without the question mark, sent as it is; empty when there is none. */
  readonly query: string;
  readonly fields: readonly HeaderField[];
  /** At a web origin, which has no buckets: path and query, sent as they are. */
  readonly target?: string;
  /** Whether a read is sent again when its connection breaks before the answer; left out where the caller repeats it. */
  readonly isResent?: boolean;
  /** Whether nobody is told the body of a failure (`isRetryableStatus`): the request is repeated then, or sent elsewhere. */
  readonly isFailureUntold?: boolean;
  /** The complete body of a request that changes something. */
  readonly body?: Uint8Array;
  /** Its body, where that is sent as it becomes available. */
  readonly bodyStream?: StreamedBody;
  /** The address of the client that has it sent; left out for what is fetched for all, as blocks of the cache are. */
  readonly client?: string;
  /** Aborted when others want its answer as well: from then on it counts for no client. */
  readonly shared?: AbortSignal;
  /** The trace of the request, or of the first of those, that it is sent for. */
  readonly trace?: TraceContext | undefined;
  /** Why it is sent beside another request or in place of it; for spans. */
  readonly reason?: 'hedge' | 'fallback';
}

/** A body that is sent as it becomes available. If the stream ends early or fails, the store gets no complete request. */
export interface StreamedBody {
  readonly stream: Readable;
  /** What the stream gives, all in all; undefined where that is not known before its end. */
  readonly lengthBytes: number | undefined;
  /** SHA-256 in lower-case hex, `UNSIGNED-PAYLOAD`, or the name of a kind of `aws-chunked` stream. */
  readonly payloadHash: string;
  /** Tells `flow` from now on how the stream's source keeps up. */
  follow(flow: BodyFlow): void;
}

/** Learns how the source of a streamed body keeps up with the store. */
export interface BodyFlow {
  /** The store would take more than has come. */
  starved(): void;
  /** `lengthBytes` more have come. */
  fed(lengthBytes: number): void;
  /** All has come, or nothing more is wanted. */
  satisfied(): void;
}

/** The head of a store's answer. */
export interface StoreReplyHead {
  readonly status: number;
  readonly fields: readonly HeaderField[];
}

/**
 * Receives an answer as it arrives. Exactly one of `ended` and `failed` comes last. Nothing follows an abort, except
 * `failed` for an exception that the receiver throws after it.
 */
export interface StoreReceiver {
  /** An answer before the final one (RFC 9110 §15.2); any number of them. */
  informed?(status: number, rawHeaders: readonly string[]): void;
  /** Status and header fields. Body bytes may follow in the same turn. */
  answered(head: StoreReplyHead): void;
  /** The next bytes of the body. The memory is valid only during the call. */
  arrived(chunk: Buffer): void;
  /** @param rawTrailers names and values alternating (RFC 9110 §6.5); left out where there are none */
  ended(rawTrailers?: readonly string[]): void;
  failed(error: StoreError): void;
}

/** A request in progress. */
export interface StoreCall {
  /** Stops delivery until `resume`. */
  pause(): void;
  resume(): void;
  /** The reader has taken `lengthBytes` more: a paused call whose reader takes some keeps its connection for longer. */
  took(lengthBytes: number): void;
  /** Aborts the request; the receiver gets no further calls. */
  abort(): void;
}

/** A store behind the gateway. */
export interface Store {
  /** Its name in the configuration. */
  readonly name: string;
  /** The name under which its objects are kept: another one when a reload has led `name` to another address. */
  readonly identity: string;
  send(request: StoreRequest, receiver: StoreReceiver): StoreCall;
  /** Whether the caller may repeat a failed request. A repeat is taken from the budget that all callers share. */
  mayRetry(): boolean;
  close(): Promise<void>;
}

/**
 * Why an answer is missing or incomplete. UNREACHABLE: no connection; TIMEOUT: too slow; BROKEN: the connection broke;
 * INVALID: malformed answer; FAULT: the gateway failed to process it; BUSY: the store's call limit is reached. Two mean
 * that the request was never sent: UNSIGNED, no valid credentials; CIRCUIT_OPEN, the circuit breaker is open.
 */
export type StoreErrorCode =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'BROKEN'
  | 'INVALID'
  | 'FAULT'
  | 'BUSY'
  | 'UNSIGNED'
  | 'CIRCUIT_OPEN';

/** The reason of a call that the gateway gave up for others, without a fault of the store. */
export const GIVEN_UP = 'GIVEN_UP';

/** The reason of a call given up for others at a store that has answered nothing for a while: a failure of the store. */
export const NO_ANSWER = 'NO_ANSWER';

/** The reason of a call for what can be had of nobody: no store or origin has failed. */
export const NOBODY_ASKED = 'NOBODY_ASKED';

/** A failed call to a store. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** The cause by its name, see `causeName`; the code where it has none. For logs. */
  readonly reason: string;

  constructor(code: StoreErrorCode, message: string, cause: unknown, reason = causeName(cause) ?? code) {
    super(message, { cause });
    this.code = code;
    this.reason = reason;
  }

  /** What the cause says, if anything. OpenSSL ends its messages with a newline. */
  get detail(): string | undefined {
    return (this.cause instanceof Error && this.cause.message.trimEnd()) || undefined;
  }
}

/** Wraps an exception of the gateway's own code as the failure of a call. */
export function faultOf(error: unknown): StoreError {
  return new StoreError('FAULT', 'the answer could not be processed', error);
}

/** Whether a later request may succeed: RFC 9110 §15.6, and 429 of RFC 6585. */
export function isRetryableStatus(status: number): boolean {
  return status === 429 || status === 500 || status === 502 || status === 503 || status === 504;
}

/** The body of an error ends here, whatever the store sends. Error documents take a few hundred bytes. */
export const ERROR_BODY_LIMIT_BYTES = 64 * 1024;

/** The value of a standard HTTP field of `head`, by its lower-case name. */
export function httpField(head: StoreReplyHead, name: string): string | undefined {
  return head.fields.find(field => !field.store && field.name === name)?.value;
}

/** The value of a store-specific field of `head`, by its lower-case name without prefix. */
export function storeField(head: StoreReplyHead, name: string): string | undefined {
  return head.fields.find(field => field.store && field.name === name)?.value;
}

/** An answer with its whole body. */
export interface WholeReply extends StoreReplyHead {
  readonly body: Buffer;
}
