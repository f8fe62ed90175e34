import type { HeaderField } from '../s3/dialect.ts';

/** A request to a store; names carry no dialect. */
export interface StoreRequest {
  readonly method: string;
  /** The bucket at the store; undefined for requests to the service itself. */
  readonly bucket: string | undefined;
  /** Decoded key; undefined for requests to the bucket. */
  readonly key: string | undefined;
  /** Raw query without the question mark, as it goes to the store; empty when there is none. */
  readonly query: string;
  readonly fields: readonly HeaderField[];
  /** The whole body of a request that changes something. */
  readonly body?: Uint8Array;
}

/** The head of a store's answer. */
export interface StoreReplyHead {
  readonly status: number;
  readonly fields: readonly HeaderField[];
}

/** Takes an answer as it arrives. Exactly one of `ended` and `failed` comes last; nothing comes after an abort. */
export interface StoreReceiver {
  /** Status and header fields. Bytes may follow at once. */
  answered(head: StoreReplyHead): void;
  /** The next bytes of the body; the memory is the receiver's only during the call. */
  arrived(chunk: Buffer): void;
  ended(): void;
  failed(error: StoreError): void;
}

/** A request under way. */
export interface StoreCall {
  /** Stops bytes from arriving until `resume`. */
  pause(): void;
  resume(): void;
  /** Gives the request up; the receiver hears nothing more. */
  abort(): void;
}

/** A store behind the gateway. */
export interface Store {
  /** Its name in the configuration. */
  readonly name: string;
  send(request: StoreRequest, receiver: StoreReceiver): StoreCall;
  close(): Promise<void>;
}

/**
 * Why there is no answer, or no more of it: the store could not be reached, was too slow, broke off, or sent what is no
 * answer; or the gateway failed to process what it sent; or the store has as many calls as it may have.
 */
export type StoreErrorCode = 'UNREACHABLE' | 'TIMEOUT' | 'BROKEN' | 'INVALID' | 'FAULT' | 'BUSY';

/** A call to a store came to nothing. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** The value of an HTTP (not store) field of `head`, by its lower-case name. */
export function httpField(head: StoreReplyHead, name: string): string | undefined {
  return head.fields.find(field => !field.store && field.name === name)?.value;
}

/** The value of a store field of `head`, by its lower-case name without prefix. */
export function storeField(head: StoreReplyHead, name: string): string | undefined {
  return head.fields.find(field => field.store && field.name === name)?.value;
}

/** An answer with its whole body. */
export interface WholeReply extends StoreReplyHead {
  readonly body: Buffer;
}
