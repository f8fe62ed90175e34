import { errorCode } from './error-code.ts';

/** The other thread refused a call, or the call failed there. */
export class RemoteCallError extends Error {
  readonly code: string;

  constructor(procedure: string, reason: { readonly code: string; readonly message: string }) {
    super(`${procedure}: ${reason.message}`);
    this.code = reason.code;
  }
}

/** The other thread ended before it answered. */
export class ThreadGoneError extends Error {
  readonly code = 'THREAD_GONE';
}

/** How errors cross between two threads: structured cloning does not preserve their classes. */
export interface ErrorCodec {
  /** The error as data that can be posted. */
  encode(error: unknown): unknown;
  /** The error of `procedure` from data that the other thread posted. */
  decode(data: unknown, procedure: string): Error;
}

/** Keeps the code and the message of an error, and creates a RemoteCallError. */
export const codeAndMessage: ErrorCodec = {
  encode: error =>
    error instanceof Error
      ? { code: errorCode(error) ?? error.name, message: error.message }
      : { code: 'UNKNOWN', message: String(error) },
  decode: (data, procedure) => new RemoteCallError(procedure, data as { code: string; message: string }),
};
