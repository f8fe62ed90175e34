import { errors, type StoreErrorName } from './error-table.ts';

export interface ErrorDetails {
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
  readonly code: StoreErrorName;
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(code: StoreErrorName, details: ErrorDetails = {}) {
    super(details.message ?? errors[code].message, { cause: details.cause });
    this.code = code;
    this.status = errors[code].status;
    this.details = details;
  }
}

/** Whether this store has an error code of that name. */
export function isErrorCode(code: string): code is StoreErrorName {
  return Object.hasOwn(errors, code);
}
