import { type ErrorCode, errorCodes } from './error-codes.ts';

/** Names and values in the order in which they are sent. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** The parts of an error response, without ids. */
interface S3ErrorParts {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
  /** Elements of this code in the body, between Message and RequestId. */
  readonly fields?: Pairs;
  /** Headers specific to this error, such as Allow for a 405. */
  readonly headers?: Pairs;
  readonly reason?: string;
  readonly cause?: unknown;
}

/** Ends a request with an error of the S3 protocol. */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: ErrorCode;
  readonly status: number;
  readonly fields: Pairs;
  readonly headers: Pairs;
  /** Why, in a few words that quote nothing of the request; for logs. */
  readonly reason: string | undefined;

  constructor({ code, status, message, fields = [], headers = [], reason, cause }: S3ErrorParts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.fields = fields;
    this.headers = headers;
    this.reason = reason;
  }
}

/** Details of one error beyond its code. */
interface S3ErrorOptions {
  /** Replaces the code's default text. */
  readonly message?: string;
  readonly fields?: Pairs;
  readonly headers?: Pairs;
  /** Why, in a few words that quote nothing of the request; for logs. */
  readonly reason?: string;
  readonly cause?: unknown;
}

/** Creates the error of a code, with the status and default text of `errorCodes`. */
export function s3Error(code: ErrorCode, options: S3ErrorOptions = {}): S3Error {
  return new S3Error({ code, ...errorCodes[code], ...options });
}

const NOT_PASSED_TEXT = 'This gateway passes no such request to stores, whatever is granted.';

/** What a 405 tells (docs/semantics.md 207). */
interface NotAllowedParts {
  readonly method: string;
  readonly resource: 'object' | 'bucket' | 'service' | 'upload';
  /** The methods that the resource takes; none gives an empty Allow (RFC 9110 §10.2.1). */
  readonly allowed: readonly string[];
}

/** 405 for an operation that would change something and is not passed to stores. */
export function notPassed(parts: NotAllowedParts): S3Error {
  return notAllowed(parts, `${errorCodes.MethodNotAllowed.message} ${NOT_PASSED_TEXT}`);
}

/** 405 for a method that the resource does not have. */
export function notAllowed({ method, resource, allowed }: NotAllowedParts, message?: string): S3Error {
  return s3Error('MethodNotAllowed', {
    ...(message !== undefined && { message }),
    fields: [
      ['Method', method],
      ['ResourceType', resource.toUpperCase()],
    ],
    headers: [['Allow', allowed.join(', ')]],
  });
}

/** Capacity may be available again shortly (RFC 9110 §10.2.3). */
export const retryAfter: Pairs[number] = ['Retry-After', '1'];

/** 503 when there is no capacity at the moment. */
export function slowDown(options: S3ErrorOptions = {}): S3Error {
  return s3Error('SlowDown', { headers: [retryAfter], ...options });
}
