import { ERRORS, type ErrorCode } from './error-table.ts';

export interface ErrorDetails {
  /** Instead of the code's usual sentence. */
  readonly message?: string;
  /** The code's own elements, in their order behind `Message`. */
  readonly fields?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers whose names get the prefix of the dialect. */
  readonly prefixed?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A request that this store refuses, as the client will see it. */
export class StoreError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.message ?? ERRORS[code].message, { cause: details.cause });
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = details;
  }
}

/** Whether this store knows a code of that name. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
