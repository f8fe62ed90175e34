import type { IncomingHttpHeaders } from 'node:http';
import { type Answer, objectAnswer, plainAnswer, type StoredObject } from './answer.ts';

/** One thing that goes wrong with one request. */
export type Fault =
  /** The connection is cut after so many bytes of the body. */
  | { readonly kind: 'break'; readonly afterBytes: number }
  /** After so many bytes of the body nothing more comes until the promise is kept, or ever. */
  | { readonly kind: 'stall'; readonly afterBytes: number; readonly until?: Promise<void> }
  /** Something else is answered. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body?: Uint8Array | string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** A range is answered with 200 and the whole object. */
  | { readonly kind: 'range-ignored' }
  /** Content-Range says something else than what is sent. */
  | { readonly kind: 'content-range'; readonly value: string }
  /** The body ends early, and Content-Length agrees with it while Content-Range does not. */
  | { readonly kind: 'short'; readonly lengthBytes: number };

/** A queue of faults; each request for which one is due takes the first. */
export class FaultScript {
  readonly #queue: Fault[] = [];

  /** Lets `fault` happen to each of the next `times` requests that no earlier fault takes. */
  next(fault: Fault, times = 1): void {
    for (let count = 0; count < times; count++) this.#queue.push(fault);
  }

  /** Breaks one transfer after another, each after its number of bytes. */
  breakAfter(...bytes: readonly number[]): void {
    for (const afterBytes of bytes) this.next({ kind: 'break', afterBytes });
  }

  /** Faults that have not happened yet. */
  get left(): number {
    return this.#queue.length;
  }

  /** Forgets what has not happened yet. */
  clear(): void {
    this.#queue.length = 0;
  }

  take(): Fault | undefined {
    return this.#queue.shift();
  }
}

/** The answer to a request for `object` (undefined: it is missing and `answer` says so) after `fault`. */
export function spoil(
  answer: Answer,
  fault: Fault | undefined,
  object: StoredObject | undefined,
  request: IncomingHttpHeaders,
): Answer {
  switch (fault?.kind) {
    case 'answer':
      return plainAnswer(fault.status, fault.body, fault.headers);
    case 'range-ignored': {
      const { range: _ignored, ...others } = request;
      return object ? objectAnswer(object, others) : answer;
    }
    case 'content-range':
      return { ...answer, headers: { ...answer.headers, 'content-range': fault.value } };
    case 'short': {
      const headers = { ...answer.headers, 'content-length': String(fault.lengthBytes) };
      return { ...answer, headers, lengthBytes: fault.lengthBytes };
    }
    default:
      return answer;
  }
}
