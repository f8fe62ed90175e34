import type { ServerResponse } from 'node:http';
import type { HeaderPrefix } from '../s3/dialect.ts';
import type { CacheReport } from './reply/cache-status.ts';
import { refusedAtDoor } from './reply/cache-status.ts';

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
  /** Whether the store charged the gateway for this request (behaviours.md 127). */
  isCharged = false;
  status = 0;
  /** As `startedMs`; 0 for an answer that went out whole. */
  firstByteMs = 0;
  bodyBytes = 0;
  hasClientLeft = false;
  /** Whether it has been counted and logged. */
  isOver = false;
  /** Why the answer was cut off, or the cause of an error, if there was one. */
  failure: Error | undefined;

  constructor(
    response: ServerResponse,
    method: string,
    url: string,
    startedMs: number,
    requestId: string,
    id2: string,
    date: string,
  ) {
    this.response = response;
    this.method = method;
    this.url = url;
    this.startedMs = startedMs;
    this.requestId = requestId;
    this.id2 = id2;
    this.date = date;
  }

  /** The dialect that the answer speaks from now on, as far as it is known. */
  speak(prefix: HeaderPrefix | undefined): void {
    if (prefix !== undefined) this.prefix = prefix;
  }

  get isHead(): boolean {
    return this.method === 'HEAD';
  }
}
