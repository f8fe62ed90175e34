import { errors, type StoreErrorName } from './error-table.ts';

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

/** Whether this store knows a code of that name. */
export function isErrorCode(code: string): code is StoreErrorName {
  return Object.hasOwn(errors, code);
}
