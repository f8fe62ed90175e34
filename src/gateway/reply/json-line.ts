import type { IncomingMessage } from 'node:http';
import { loggedUrl } from '../../s3/logged-url.ts';
import { clientAddressOf, peerOf } from '../../transport/peer.ts';
import type { Exchange } from '../request/exchange.ts';
import { failureFields } from './failure-fields.ts';
import { inOnePiece, jsonEscaped, type LineRedactor, loggedField } from './log-text.ts';
import { LogTimes, withThousandths } from './log-time.ts';
import { loggedFields } from './logged-fields.ts';

const END = '}\n';

/** Who asks, and how. */
interface Client {
  readonly address: string | undefined;
  readonly httpVersion: string;
  readonly tlsVersion: string | undefined;
}

/** What is asked for, and what comes of it. */
interface Common {
  readonly method: string;
  readonly operation: string;
  readonly bucket: string;
  readonly status: number;
  readonly result: string;
}

/**
 * Makes the line of a request as JSON (docs/operating.md, Logs). It is put together from texts: a general serializer
 * takes several times as long, and the line is most of what the access log costs. Texts that most lines have in common
 * with the line before are kept.
 */
export class JsonLines {
  readonly #times: LogTimes;
  readonly #redactor: LineRedactor;
  #redact: LineRedactor['current'];
  #client: Client | undefined;
  #clientText = '';
  #common: Common | undefined;
  #commonText = '';
  #agent: string | undefined;
  #agentText = END;

  constructor(thread: string, redactor: LineRedactor) {
    this.#times = new LogTimes(
      '{"level":"info","time":"',
      `","thread":"${jsonEscaped(thread)}","requestId":"`,
    );
    this.#redactor = redactor;
    this.#redact = redactor.current;
  }

  /** @param durationUs in whole microseconds */
  line(exchange: Exchange, nowMs: number, durationUs: number): string {
    if (this.#redact !== this.#redactor.current) this.#forget();
    const { req } = exchange.response;
    const { userAgent, referer, range } = loggedFields(req.rawHeaders);
    return (
      this.#times.iso(nowMs) +
      exchange.requestId +
      (exchange.trace === undefined ? '' : `","traceId":"${exchange.trace.traceId}`) +
      this.#clientFields(exchange, req) +
      this.#commonFields(exchange) +
      this.#shown(loggedUrl(exchange.url)) +
      (exchange.caller === undefined ? '' : `","caller":"${this.#shown(exchange.caller)}`) +
      `","bytes":${exchange.bodyBytes},"durationMs":${withThousandths(durationUs)}` +
      (exchange.received ? `,"receivedBytes":${exchange.received.receivedBytes}` : '') +
      (range === undefined ? '' : this.#text('range', loggedField(range, this.#redact))) +
      (referer === undefined ? '' : this.#text('referer', loggedField(referer, this.#redact))) +
      this.#agentAndEnd(userAgent, exchange)
    );
  }

  /** Secrets were learned: what was kept may have them. */
  #forget(): void {
    this.#redact = this.#redactor.current;
    this.#common = undefined;
    this.#agent = undefined;
    this.#agentText = END;
  }

  /** From the quote behind the ids on. */
  #clientFields({ refusedSignature }: Exchange, req: IncomingMessage): string {
    const { address: other, tlsVersion, isTrusted } = peerOf(req.socket);
    const address = (isTrusted ? clientAddressOf(req) : other) ?? refusedSignature?.client;
    const { httpVersion } = req;
    const last = this.#client;
    if (last?.address === address && last?.httpVersion === httpVersion && last.tlsVersion === tlsVersion)
      return this.#clientText;
    this.#client = { address, httpVersion, tlsVersion };
    this.#clientText = inOnePiece(
      `"${address === undefined ? '' : `,"client":"${jsonEscaped(address)}"`}` +
        `,"protocol":"HTTP/${req.httpVersionMajor === 2 ? '2' : httpVersion}"` +
        (tlsVersion === undefined ? '' : `,"tls":"${tlsVersion}"`),
    );
    return this.#clientText;
  }

  /** Up to the quote before the URL. */
  #commonFields({ method, operation, bucket, status, report: { result } }: Exchange): string {
    const last = this.#common;
    if (
      last?.status === status &&
      last.result === result &&
      last.bucket === bucket &&
      last.operation === operation &&
      last.method === method
    ) {
      return this.#commonText;
    }
    this.#common = { method, operation, bucket, status, result };
    this.#commonText = inOnePiece(
      `,"method":"${this.#shown(method)}","operation":"${jsonEscaped(operation)}"` +
        `,"bucket":"${jsonEscaped(bucket)}","status":${status},"cache":"${result}","url":"`,
    );
    return this.#commonText;
  }

  #agentAndEnd(agent: string | undefined, exchange: Exchange): string {
    if (agent !== this.#agent) {
      this.#agent = agent;
      this.#agentText = inOnePiece(this.#text('userAgent', agent && loggedField(agent, this.#redact)) + END);
    }
    if (isUsual(exchange)) return this.#agentText;
    return this.#agentText.slice(0, -END.length) + this.#rareFields(exchange) + END;
  }

  #rareFields(exchange: Exchange): string {
    const { refusedSignature, refusedKeys } = exchange;
    const { failure, reason, backend, cause } = failureFields(exchange);
    return (
      this.#text('key', exchange.formKey) +
      this.#text('accessKey', refusedSignature?.accessKey) +
      this.#text('why', refusedSignature?.why) +
      this.#text('code', exchange.errorCode) +
      (refusedKeys === undefined ? '' : `,"refusedKeys":${refusedKeys}`) +
      (exchange.hasClientLeft ? ',"clientLeft":true' : '') +
      this.#text('failure', failure) +
      this.#text('reason', reason) +
      this.#text('backend', backend) +
      this.#text('cause', cause) +
      this.#text('storeSaid', exchange.storeSaid) +
      this.#text('storeRequestId', exchange.storeRequestId?.slice(0, LONGEST_ID))
    );
  }

  #text(name: string, value: string | undefined): string {
    return value === undefined ? '' : `,"${name}":"${this.#shown(value)}"`;
  }

  #shown(text: string): string {
    return this.#redact(jsonEscaped(text));
  }
}

/** Amazon's have 16 characters, MinIO's too. */
const LONGEST_ID = 128;

/** Whether a request has none of the rare fields. */
function isUsual(exchange: Exchange): boolean {
  return (
    exchange.status < 300 &&
    exchange.failure === undefined &&
    exchange.errorCode === undefined &&
    exchange.formKey === undefined &&
    exchange.refusedKeys === undefined &&
    exchange.storeSaid === undefined &&
    exchange.storeRequestId === undefined &&
    !exchange.hasClientLeft
  );
}
