import { lengthPrefixed } from '../../base/length-prefixed.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import type { RequestDirectives } from '../../http/request-directives.ts';
import type { TraceContext } from '../../http/trace-context.ts';
import { type Vary, variantName } from '../../http/vary.ts';
import { fieldValue, type HeaderField } from '../../s3/dialect.ts';
import type { RequestFields } from '../../s3/request-fields.ts';
import type { Warmed } from '../read/warmed.ts';
import type { CachePolicy } from '../request/cache-policy.ts';
import type { CacheReport, Forwarded, LookupOutcome } from '../request/cache-status.ts';
import type { KeyRules } from '../request/key-rules.ts';
import { heardDirectives, type ObjectRead } from '../request/object-read.ts';
import { ASKED_RANGE, askedRange } from './asked-range.ts';
import { fieldsOfNobody } from './outgoing-fields.ts';
import type { WaitingClient } from './waiting-client.ts';
import type { WebAddress, WebBucket, WebPage, WebTarget } from './web-target.ts';

/** What names the bytes of a web origin's answer. */
export type WebContentRead = Pick<ObjectRead, 'objectKey' | 'versionId' | 'variant' | 'policy' | 'trace'> & {
  readonly bucket: WebBucket;
  /** The request fields that selected the answer. */
  readonly selecting: readonly HeaderField[];
};

/** A web origin's answers have neither versions nor what else store requests name. */
const noVariant: ObjectRead['variant'] = {
  origin: undefined,
  expectedBucketOwner: undefined,
  requestPayer: undefined,
};

/** Answers that are read again after they have changed before their first byte. */
const REPEATED_LOOKUPS = 2;

/** The fields of a request that say which answer it wants. */
export type WebFields = Pick<
  RequestFields,
  | 'range'
  | 'ifRange'
  | 'ifMatch'
  | 'ifNoneMatch'
  | 'ifModifiedSince'
  | 'ifUnmodifiedSince'
  | 'isConditional'
  | 'authorization'
  | 'cacheControl'
  | 'pragma'
  | 'acceptEncoding'
>;

/** Asks for all of the answer, whatever it is. */
export const noFields: WebFields = {
  ...{ range: undefined, ifRange: undefined, ifMatch: undefined, ifNoneMatch: undefined },
  ...{ ifModifiedSince: undefined, ifUnmodifiedSince: undefined, isConditional: false },
  ...{ authorization: undefined, cacheControl: undefined, pragma: undefined, acceptEncoding: undefined },
};

/** What a request to a web origin asks for. */
export interface WebRequest {
  readonly method: string;
  /** The method as it is told in metrics. */
  readonly operation: string;
  readonly fields: WebFields;
  readonly address: WebAddress;
  /** The scheme that the client asked with. */
  readonly scheme: 'http' | 'https';
  readonly target: WebTarget;
  readonly nowMs: number;
  readonly trace: TraceContext | undefined;
}

/** A request to a web origin. */
export class WebRead {
  readonly client: WebClient;
  readonly request: WebRequest;
  readonly rules: KeyRules;
  readonly policy: CachePolicy;
  /** What the client asks of the cache, where it is heard. */
  readonly directives: RequestDirectives | undefined;
  readonly #compose: () => readonly HeaderField[];
  #sent: readonly HeaderField[] | undefined;
  #repeats = 0;
  /** Since when it waits for questions of others, by `Clock.monotonicMs`. */
  waitsSinceMs: number | undefined;
  /** Why it would have asked, had it not waited first. */
  waitsBecause: Forwarded | undefined;

  /** @param compose makes the fields that the origin gets */
  constructor(request: WebRequest, client: WebClient, compose: () => readonly HeaderField[]) {
    const { address, fields } = request;
    this.request = request;
    this.client = client;
    this.rules = address.bucket.rulesFor(address.path);
    this.policy = this.rules.cache;
    this.directives = heardDirectives(this.policy, fields);
    this.#compose = compose;
  }

  get method(): string {
    return this.request.method;
  }

  get fields(): WebFields {
    return this.request.fields;
  }

  get address(): WebAddress {
    return this.request.address;
  }

  get target(): WebTarget {
    return this.request.target;
  }

  get nowMs(): number {
    return this.request.nowMs;
  }

  get bucket(): WebBucket {
    return this.address.bucket;
  }

  /**
   * Whether it may ask or be answered once more, since what it was to be answered with has changed before the first byte, or was for
   * another.
   *
   * @param times all in all
   */
  mayRepeat(times = REPEATED_LOOKUPS): boolean {
    if (this.#repeats >= times) return false;
    this.#repeats++;
    return true;
  }

  /** Ends the request with what `step` throws. */
  attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.client.refuse(error);
    }
  }

  /** What the origin gets, made when it is first needed. */
  get sent(): readonly HeaderField[] {
    this.#sent ??= this.#compose();
    return this.#sent;
  }

  /** Whether the answer may be one for its sender alone, although it does not say so. */
  get isPersonal(): boolean {
    return this.isAuthorized || (this.#passesOn('cookie') && fieldValue(this.sent, 'cookie') !== undefined);
  }

  /** Whether the origin gets the client's own credentials (RFC 9111 §3.5). */
  get isAuthorized(): boolean {
    return this.fields.authorization !== undefined && this.#passesOn('authorization');
  }

  /** Rules may take a field from the request, or give the same one to all. */
  #passesOn(name: string): boolean {
    return !this.rules.requests?.changes(name);
  }

  /** Asks by GET for what HEAD asks about. */
  asGet(): WebRead {
    if (this.method === 'GET') return this;
    return new WebRead({ ...this.request, method: 'GET', operation: 'GET' }, this.client, () => this.sent);
  }

  /** Asks for the same among the answers that vary by `names`, with nothing else of what this client has sent. */
  asNobody(names: readonly string[]): WebRead {
    const { authorization } = names.includes('authorization') ? this.fields : noFields;
    const request = { ...this.asGet().request, fields: { ...noFields, authorization } };
    return new WebRead(request, this.client, () => {
      const sent = fieldsOfNobody(this.sent, names);
      return this.rules.requests?.applied(sent) ?? sent;
    });
  }

  /** Asks for the range that `other` asks for. */
  withRangeOf({ fields: { range }, sent }: WebRead): WebRead {
    return new WebRead({ ...this.request, fields: { ...this.fields, range } }, this.client, () => [
      ...this.sent.filter(({ name }) => name !== 'range'),
      ...sent.filter(({ name }) => name === 'range'),
    ]);
  }

  /** Names the answer that this request selects, among those that vary by `names` (RFC 9111 §4.1). */
  variantName(names: readonly string[]): string {
    if (names.length === 0) return '';
    const fieldOf = (name: string) => (name === ASKED_RANGE ? askedRange(this) : fieldValue(this.sent, name));
    return lengthPrefixed(variantName(names, fieldOf));
  }

  /** For the content of an answer that varies so. */
  contentRead(vary: Vary): WebContentRead {
    const { bucket, policy, target, request } = this;
    const selecting = this.sent.filter(
      ({ name }) => vary !== '*' && vary.includes(name) && !secret.has(name),
    );
    const { trace } = request;
    return {
      ...{ objectKey: target.key, versionId: undefined, variant: noVariant, bucket, policy, selecting },
      ...(trace && { trace }),
    };
  }
}

/** One client's credentials are not used for others. */
const secret: ReadonlySet<string> = new Set(['authorization', 'cookie']);

/** Answers GET and HEAD: from what it holds, or by asking the origin. */
export interface WebSource {
  /** @throws NotCachedError for a client that wants only what is held; TooManyRequestsError */
  serve(read: WebRead): void;
  /**
   * Has all of what nobody in particular is answered at `page` held. Never rejects.
   *
   * @param page without `pageProblem`
   * @param gone aborted when nobody wants it any more
   */
  warm(page: WebPage, gone: AbortSignal): Promise<Warmed>;
}

/** Where a record was found. */
export interface RecordSource {
  /** Reading `record` has failed after the first byte. */
  failed(read: WebRead, record: ReadableRecord, error: Error): void;
  /** Reading `record` has failed before the first byte. */
  answerAnew(read: WebRead, record: ReadableRecord, error: unknown): void;
}

/** Who has sent a request, and is answered once. */
export interface WebClient {
  /** Whom the request counts for at the origin. */
  readonly quota: string;
  /** What its answer is reported as, unless that is from a record. */
  report: CacheReport;
  /**
   * Answers with `record`.
   *
   * @param told all fields that the origin has just sent with it, for the client that was first
   * @throws S3Error where a precondition fails or the range cannot be had
   */
  answer(
    read: WebRead,
    record: ReadableRecord,
    outcome: LookupOutcome,
    source: RecordSource,
    told?: readonly HeaderField[],
  ): void;
  /**
   * Waits for the origin.
   *
   * @param left called when the client leaves
   * @throws TooManyRequestsError
   */
  wait(left: () => void): WaitingClient;
  refuse(error: unknown): void;
  /** Calls `then` when nothing is left of what the client was sent: it has taken all, or has left. */
  whenGone(then: () => void): void;
}
