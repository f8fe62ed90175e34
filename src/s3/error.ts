import { type ErrorCode, errorCodes } from './error-codes.ts';

/** Names and values in the order in which they are sent. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** Everything that an error answer is made of, ids apart. */
export interface S3ErrorParts {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  /** The code's own elements in the body, between Message and RequestId. */
  readonly fields?: Pairs;
  /** Headers that belong to this error, such as Allow on a 405. */
  readonly headers?: Pairs;
  readonly cause?: unknown;
}

/** A request that ends with an error of the store's protocol: the gateway's own, or one that a store gave. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: string;
  readonly status: number;
  readonly fields: Pairs;
  readonly headers: Pairs;

  constructor({ code, status, message, fields = [], headers = [], cause }: S3ErrorParts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.fields = fields;
    this.headers = headers;
  }
}

/** What one error says beyond its code. */
export interface S3ErrorOptions {
  /** Instead of the code's usual text. */
  readonly message?: string;
  readonly fields?: Pairs;
  readonly headers?: Pairs;
  readonly cause?: unknown;
}

/** The error of a code, with the status and, unless told otherwise, the text of `errorCodes`. */
export function s3Error(code: ErrorCode, options: S3ErrorOptions = {}): S3Error {
  return new S3Error({ code, ...errorCodes[code], ...options });
}

/** 405 for a method that changes something (behaviours.md 207). @param resource what it is about: object, bucket or service. */
export function notAllowed(method: string, resource: string): S3Error {
  return s3Error('MethodNotAllowed', {
    fields: [
      ['Method', method],
      ['ResourceType', resource.toUpperCase()],
    ],
    headers: [['Allow', 'GET, HEAD']],
  });
}

/** A little later there may be room again (RFC 9110 §10.2.3). */
export const retryAfter: Pairs[number] = ['Retry-After', '1'];

/** 503 for what there is no room for now. */
export function slowDown(options: S3ErrorOptions = {}): S3Error {
  return s3Error('SlowDown', { headers: [retryAfter], ...options });
}
