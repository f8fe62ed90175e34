import type { ServerResponse } from 'node:http';
import type { DateHeader } from '../../http/http-date.ts';
import type { TraceContext } from '../../http/trace-context.ts';
import type { HeaderPrefix } from '../../s3/dialect.ts';
import type { AnswerRules } from './answer-rules.ts';
import type { CacheReport } from './cache-status.ts';
import { refusedBeforeLookup } from './cache-status.ts';
import type { ReceivedBody } from './received-body.ts';

/** Ends requests with an error. Neither method throws. */
export interface ErrorHandling {
  /** Answers with `error`; if the response has started, closes the connection instead. */
  refuse(exchange: Exchange, error: unknown): void;
  /** The same for an unexpected exception. */
  fault(exchange: Exchange, error: unknown): void;
}

type AnswerDates = Pick<DateHeader, 'now'>;

/** Who sent a signature that was refused, and why it was. */
interface RefusedSignature {
  readonly client: string | undefined;
  /** The id that was claimed. */
  readonly accessKey: string | undefined;
  readonly why: string;
}

const nothing: readonly string[] = [];

/** One request and its response, with the data for metrics and the log line. */
export class Exchange {
  readonly response: ServerResponse;
  readonly method: string;
  readonly isHead: boolean;
  /** The trace that it belongs to, if any. */
  trace: TraceContext | undefined;
  /** As received. */
  readonly url: string;
  readonly startedMs: number;
  readonly requestId: string;
  readonly id2: string;
  /** The dialect of the response. */
  prefix: HeaderPrefix = 'x-store-';
  /** Whether its errors are plain text, and not documents of the store protocol. */
  isPlain = false;
  /** Metric label: a bucket's configured name, `_other`, or empty for requests to no bucket. */
  bucket = '';
  /** The backend of the bucket, as the configuration calls it; for logs. */
  backend: string | undefined;
  operation = 'Unknown';
  /** The key of the addressed object, if any. */
  key: string | undefined;
  versionId: string | undefined;
  /** The key that a form is posted to: its URL does not have it. */
  formKey: string | undefined;
  /** Of a list of deletions, whose answer is a 200 nevertheless: how many keys have an error in it. */
  refusedKeys: number | undefined;
  report: CacheReport = refusedBeforeLookup;
  /** Access key id of the client, or undefined for anonymous ones. */
  caller: string | undefined;
  /** Why the signature of the request was refused, if it was; for logs. */
  refusedSignature: RefusedSignature | undefined;
  /** The code of the error body, if the response has one. */
  errorCode: string | undefined;
  /** Whose verdict the error is: the store's also where its words are replaced. */
  refusedBy: 'gateway' | 'store' = 'gateway';
  /** The beginning of the store's answer where the client got a standard error document instead; for the log. */
  storeSaid: string | undefined;
  /** `x-amz-request-id` of the answer where that is the store's own; for the log. */
  storeRequestId: string | undefined;
  /** Whether the store charged, or will charge, the gateway for this answer (docs/semantics.md 127). */
  isCharged = false;
  status = 0;
  /** Like `startedMs`; 0 for a response sent in one write. */
  firstByteMs = 0;
  bodyBytes = 0;
  /** The body of the request, if it is read: how much of it has come. */
  received: ReceivedBody | undefined;
  hasClientLeft = false;
  /** Whether it counts among the requests waiting for stores. */
  isAdmitted = false;
  /** The access key that it is counted for. */
  admittedCaller: string | undefined;
  /** Whether it was counted and logged. */
  isOver = false;
  /** Why the response was aborted, or the cause of its error. */
  failure: Error | undefined;
  /** What rules change of the answer, whatever it is. */
  answerRules: AnswerRules | undefined;
  /** Its fields for pages of other origins, where rules say so: names and values alternating. */
  crossOrigin: readonly string[] = nothing;
  readonly #dates: AnswerDates;
  readonly #errors: ErrorHandling;
  #writes = 0;
  #whenWritten: (() => void) | undefined;

  constructor(
    response: ServerResponse,
    method: string,
    url: string,
    startedMs: number,
    requestId: string,
    id2: string,
    dates: AnswerDates,
    errors: ErrorHandling,
  ) {
    this.response = response;
    this.method = method;
    this.isHead = method === 'HEAD';
    this.url = url;
    this.startedMs = startedMs;
    this.requestId = requestId;
    this.id2 = id2;
    this.#dates = dates;
    this.#errors = errors;
  }

  /** Value of the answer's Date header, if it begins now: it may have waited for a store (RFC 9110 §6.6.1). */
  get date(): string {
    return this.#dates.now;
  }

  /** Notes that a write is sent to a store. @returns a function to call when it has ended */
  beginWrite(): () => void {
    this.#writes++;
    return () => {
      this.#writes--;
      if (this.#writes === 0) this.#whenWritten?.();
    };
  }

  /** Calls `done` as soon as no write is in progress: a store may still execute one whose client has left. */
  whenWritten(done: () => void): void {
    if (this.#writes === 0) done();
    else this.#whenWritten = done;
  }

  /** Sets the dialect of the response, if it is known. */
  speak(prefix: HeaderPrefix | undefined): void {
    if (prefix !== undefined) this.prefix = prefix;
  }

  /** Sets what rules change of the answer. @param origin of the page that sends the request */
  ruleBy(rules: AnswerRules | undefined, origin: string | undefined): void {
    this.answerRules = rules;
    this.crossOrigin = rules?.crossOrigin?.fieldsFor(origin, this.method) ?? nothing;
  }

  /** Ends the request with an error and its log line. Never throws. */
  refuse(error: unknown): void {
    this.#errors.refuse(this, error);
  }

  /** Ends the request after an unexpected exception. Never throws. */
  fault(error: unknown): void {
    this.#errors.fault(this, error);
  }

  /** Wraps an event handler: an exception ends this request and nothing else. */
  guard(step: () => void): () => void {
    return () => {
      try {
        step();
      } catch (error) {
        this.fault(error);
      }
    };
  }
}
