import { loggedUrl } from '../../s3/logged-url.ts';
import { clientAddressOf, peerOf } from '../../transport/peer.ts';
import type { Exchange } from '../request/exchange.ts';
import { failureFields } from './failure-fields.ts';
import { jsonEscaped } from './log-text.ts';
import { LogTimes, withThousandths } from './log-time.ts';
import { loggedFields } from './logged-fields.ts';

/** What a client says of itself is cut to this, so that a line stays short. */
const FIELD_LENGTH = 1_024;

/** The fields that most lines have in common with the line before. */
interface CommonFields {
  readonly method: string;
  readonly operation: string;
  readonly bucket: string;
  readonly status: number;
  readonly result: string;
}

/**
 * Makes the line of a request as JSON (docs/operating.md, Logs). It is put together from texts: a general serializer
 * takes several times as long, and the line is most of what the access log costs.
 */
export class JsonLines {
  readonly #times = new LogTimes();
  readonly #thread: string;
  readonly #redact: (text: string) => string;
  #common: CommonFields | undefined;
  #commonText = '';

  /** @param redact removes configured secrets from text within JSON strings */
  constructor(thread: string, redact: (text: string) => string) {
    this.#thread = jsonEscaped(thread);
    this.#redact = redact;
  }

  /** @param durationUs in whole microseconds */
  line(exchange: Exchange, nowMs: number, durationUs: number): string {
    const { req } = exchange.response;
    const { userAgent, referer, range } = loggedFields(req.rawHeaders);
    const { address, tlsVersion, isTrusted } = peerOf(req.socket);
    const client = (isTrusted ? clientAddressOf(req) : address) ?? exchange.refusedSignature?.client;
    return (
      `{"level":"info","time":"${this.#times.iso(nowMs)}","thread":"${this.#thread}"` +
      `,"requestId":"${exchange.requestId}"` +
      (exchange.trace === undefined ? '' : `,"traceId":"${exchange.trace.traceId}"`) +
      (client === undefined ? '' : `,"client":"${jsonEscaped(client)}"`) +
      (req.httpVersionMajor === 2 ? ',"protocol":"HTTP/2"' : `,"protocol":"HTTP/${req.httpVersion}"`) +
      (tlsVersion === undefined ? '' : `,"tls":"${tlsVersion}"`) +
      this.#commonFields(exchange) +
      `,"url":"${this.#shown(loggedUrl(exchange.url))}"` +
      (exchange.caller === undefined ? '' : `,"caller":"${this.#shown(exchange.caller)}"`) +
      `,"bytes":${exchange.bodyBytes},"durationMs":${withThousandths(durationUs)}` +
      (exchange.received ? `,"receivedBytes":${exchange.received.receivedBytes}` : '') +
      (range === undefined ? '' : this.#text('range', range.slice(0, FIELD_LENGTH))) +
      (referer === undefined ? '' : this.#text('referer', loggedUrl(referer).slice(0, FIELD_LENGTH))) +
      (userAgent === undefined ? '' : this.#text('userAgent', userAgent.slice(0, FIELD_LENGTH))) +
      (isUsual(exchange) ? '' : this.#rareFields(exchange)) +
      '}\n'
    );
  }

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
    this.#commonText =
      `,"method":"${this.#shown(method)}","operation":"${jsonEscaped(operation)}"` +
      `,"bucket":"${jsonEscaped(bucket)}","status":${status},"cache":"${result}"`;
    return this.#commonText;
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
      this.#text('storeSaid', exchange.storeSaid)
    );
  }

  #text(name: string, value: string | undefined): string {
    return value === undefined ? '' : `,"${name}":"${this.#shown(value)}"`;
  }

  #shown(text: string): string {
    return this.#redact(jsonEscaped(text));
  }
}

/** Whether a request has none of the rare fields. */
function isUsual(exchange: Exchange): boolean {
  return (
    exchange.status < 300 &&
    exchange.failure === undefined &&
    exchange.errorCode === undefined &&
    exchange.formKey === undefined &&
    exchange.refusedKeys === undefined &&
    exchange.storeSaid === undefined &&
    !exchange.hasClientLeft
  );
}
