import { type ServerResponse, STATUS_CODES } from 'node:http';
import { headerText, lengthLast } from '../../http/header-lines.ts';
import type { HeaderPrefix } from '../../s3/dialect.ts';
import { type Answer, DirectAnswer, type FaultHandler, StandardAnswer } from '../../transport/answer.ts';
import type { CacheReport } from '../request/cache-status.ts';
import type { Exchange } from '../request/exchange.ts';

/** The fields that differ between responses. */
interface ReplyFields extends FaultHandler {
  readonly report: CacheReport;
  readonly requestId: string;
  readonly id2: string;
  /** Value of the Date header. */
  readonly date: string;
}

/** What decides how the fields of an answer are changed. */
type RuledExchange = Pick<Exchange, 'answerRules' | 'crossOrigin' | 'operation' | 'prefix'>;

/** Operations that are answered with contents, at stores and at web origins. */
const reads: ReadonlySet<string> = new Set(['GetObject', 'HeadObject', 'GET', 'HEAD']);

/**
 * The headers of one kind of response, prepared once and completed for each response. A response with a known length is
 * written as text; others are written by node:http.
 */
export class PreparedHeaders {
  readonly #fixed: readonly string[];
  readonly #text: ReusedText | undefined;
  readonly #prefix: HeaderPrefix;
  readonly #ends: HeadEnds;
  readonly #namesLength: boolean;
  #lastShared: readonly string[] | undefined;
  #withShared: PreparedHeaders = this;

  private constructor(
    fixed: readonly string[],
    text: string | undefined,
    prefix: HeaderPrefix,
    ends: HeadEnds,
  ) {
    this.#fixed = fixed;
    this.#text = text === undefined ? undefined : new ReusedText(text);
    this.#prefix = prefix;
    this.#ends = ends;
    this.#namesLength = fixed.includes('content-length');
  }

  /** @param fixed names and values that are the same in every response */
  static of(fixed: readonly string[], prefix: HeaderPrefix): PreparedHeaders {
    const ordered = lengthLast(fixed);
    return new PreparedHeaders(ordered, headerText(ordered), prefix, new HeadEnds(prefix));
  }

  /** The same for one answer to `exchange`, with what its rules say. */
  static for(exchange: RuledExchange, fixed: readonly string[], status: number): PreparedHeaders {
    const { answerRules, crossOrigin, operation, prefix } = exchange;
    const ruled = answerRules?.applied(fixed, status, reads.has(operation)) ?? fixed;
    return PreparedHeaders.of(crossOrigin.length > 0 ? [...crossOrigin, ...ruled] : ruled, prefix);
  }

  /** These headers followed by `others`, which many answers share: they are prepared once for answers in a row. */
  withShared(others: readonly string[]): PreparedHeaders {
    if (others.length === 0) return this;
    if (others !== this.#lastShared) {
      this.#lastShared = others;
      this.#withShared = this.with(others);
    }
    return this.#withShared;
  }

  /** These headers followed by `others`. */
  with(others: readonly string[]): PreparedHeaders {
    const added = headerText(others);
    const text = this.#text === undefined || added === undefined ? undefined : this.#text.use() + added;
    return new PreparedHeaders([...this.#fixed, ...others], text, this.#prefix, this.#ends);
  }

  /**
   * Begins the response; the head is sent with the first bytes of the body.
   *
   * @param ageS Age in seconds; undefined for an answer that did not come from the cache
   */
  begin(response: ServerResponse, status: number, reply: ReplyFields, ageS: number | undefined): Answer {
    const head = this.#head(status, reply, ageS);
    const direct = head === undefined ? undefined : DirectAnswer.begin(response, status, head, reply);
    if (direct) return direct;
    this.writeTo(response, status, reply, ageS);
    return new StandardAnswer(response);
  }

  /** Writes the head with node:http. @param ageS see `begin` */
  writeTo(response: ServerResponse, status: number, reply: ReplyFields, ageS: number | undefined): void {
    const { report, requestId, id2, date } = reply;
    const raw = [...this.#fixed, `${this.#prefix}request-id`, requestId, `${this.#prefix}id-2`, id2];
    raw.push('cache-status', report.cacheStatus, 'x-cache', report.result, 'Date', date);
    if (ageS !== undefined) raw.push('age', String(ageS));
    response.writeHead(status, raw);
  }

  /** The complete head for a keep-alive connection; undefined if it does not delimit the body. */
  #head(status: number, reply: ReplyFields, ageS: number | undefined): string | undefined {
    const statusLine = statusLines.get(status);
    if (statusLine === undefined || this.#text === undefined || !(this.#namesLength || status === 304))
      return undefined;
    return (
      statusLine +
      this.#text.use() +
      requestIdLine[this.#prefix] +
      reply.requestId +
      this.#ends.of(reply, ageS)
    );
  }
}

const requestIdLine: Readonly<Record<HeaderPrefix, string>> = {
  'x-amz-': 'x-amz-request-id: ',
  'x-store-': 'x-store-request-id: ',
};

/** Statuses of successful object responses. */
const statusLines = new Map(
  [200, 206, 304].map(status => [status, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`]),
);

/** The end of a head, after the request id. Memoised: it is the same for all hits within one second. */
class HeadEnds {
  readonly #prefix: HeaderPrefix;
  #text = new ReusedText('');
  #cacheStatus = '';
  #result = '';
  #date = '';
  #id2 = '';
  #ageS: number | undefined;

  constructor(prefix: HeaderPrefix) {
    this.#prefix = prefix;
  }

  of({ report, id2, date }: ReplyFields, ageS: number | undefined): string {
    const { cacheStatus, result } = report;
    const isSameReport = cacheStatus === this.#cacheStatus && result === this.#result;
    if (isSameReport && ageS === this.#ageS && date === this.#date && id2 === this.#id2)
      return this.#text.use();
    const age = ageS === undefined ? '' : `age: ${ageS}\r\n`;
    this.#text = new ReusedText(
      `\r\n${this.#prefix}id-2: ${id2}\r\ncache-status: ${cacheStatus}\r\nx-cache: ${result}\r\n${age}Date: ${date}\r\nConnection: keep-alive\r\n\r\n`,
    );
    this.#cacheStatus = cacheStatus;
    this.#result = result;
    this.#date = date;
    this.#id2 = id2;
    this.#ageS = ageS;
    return this.#text.use();
  }
}

/**
 * A text that may be written many times. V8 represents concatenated strings as a tree and would walk it each time, so from the second
 * use on it is in one piece; most heads of a large bucket are written once in a long time.
 */
class ReusedText {
  #text: string;
  #uses = 0;

  /** @param text contains only characters up to U+00FF */
  constructor(text: string) {
    this.#text = text;
  }

  use(): string {
    if (++this.#uses === 2) this.#text = Buffer.from(this.#text, 'latin1').toString('latin1');
    return this.#text;
  }
}
