import type { ServerResponse } from 'node:http';
import type { HeaderPrefix } from '../../s3/dialect.ts';
import type { CacheReport } from './cache-status.ts';
import { refusedAtDoor } from './cache-status.ts';

/** Ends requests with errors. Neither throws. */
export interface ErrorHandling {
  /** Answers with `error`, or cuts the answer off when it has begun. */
  refuse(exchange: Exchange, error: unknown): void;
  /** The same for an exception that should not have happened. */
  fault(exchange: Exchange, error: unknown): void;
}

/** One request and its answer, with what metrics and the log line tell about it. */
export class Exchange {
  readonly response: ServerResponse;
  readonly method: string;
  /** As received. */
  readonly url: string;
  readonly startedMs: number;
  readonly requestId: string;
  readonly id2: string;
  /** Value of the answer's Date header. */
  readonly date: string;
  /** The dialect that the answer speaks. */
  prefix: HeaderPrefix = 'x-store-';
  /** Metric label: a bucket's configured name, `_other`, or empty for requests to no bucket. */
  bucket = '';
  operation = 'Unknown';
  /** The object a client asked for, if it was one. */
  key: string | undefined;
  versionId: string | undefined;
  report: CacheReport = refusedAtDoor;
  /** Access key id of the client, or undefined for anonymous ones. */
  caller: string | undefined;
  /** Code of the error body, ours or the store's, if the answer has one. */
  errorCode: string | undefined;
  /** Whether the store charged the gateway for this request (docs/semantics.md 127). */
  isCharged = false;
  status = 0;
  /** As `startedMs`; 0 for an answer that went out whole. */
  firstByteMs = 0;
  bodyBytes = 0;
  hasClientLeft = false;
  /** Whether it counts among those that wait for stores. */
  isAdmitted = false;
  /** Whether it has been counted and logged. */
  isOver = false;
  /** Why the answer was cut off, or the cause of an error, if there was one. */
  failure: Error | undefined;
  readonly #errors: ErrorHandling;

  constructor(
    response: ServerResponse,
    method: string,
    url: string,
    startedMs: number,
    requestId: string,
    id2: string,
    date: string,
    errors: ErrorHandling,
  ) {
    this.response = response;
    this.method = method;
    this.url = url;
    this.startedMs = startedMs;
    this.requestId = requestId;
    this.id2 = id2;
    this.date = date;
    this.#errors = errors;
  }

  /** The dialect that the answer speaks from now on, as far as it is known. */
  speak(prefix: HeaderPrefix | undefined): void {
    if (prefix !== undefined) this.prefix = prefix;
  }

  /** Ends the request with what went wrong, and its log line. Never throws. */
  refuse(error: unknown): void {
    this.#errors.refuse(this, error);
  }

  /** Ends the request with an exception that should not have happened. Never throws. */
  fault(error: unknown): void {
    this.#errors.fault(this, error);
  }

  /** `step` for an event to call: what it throws ends this request and nothing else. */
  guard(step: () => void): () => void {
    return () => {
      try {
        step();
      } catch (error) {
        this.fault(error);
      }
    };
  }

  get isHead(): boolean {
    return this.method === 'HEAD';
  }
}
