import { type ErrorCode, errorCodes } from '../../s3/error-codes.ts';

interface ErrorDetails {
  /** Replaces the code's default message. */
  readonly message?: string;
  /** Elements of this code, in order, after `Message`. */
  readonly fields?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that get the prefix of the dialect. */
  readonly prefixed?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A request refused by this store, with the error to send. */
export class OperationError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.message ?? errorCodes[code].message, { cause: details.cause });
    this.code = code;
    this.status = errorCodes[code].status;
    this.details = details;
  }
}
