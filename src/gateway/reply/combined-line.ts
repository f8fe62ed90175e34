import { loggedUrl } from '../../s3/logged-url.ts';
import { clientAddressOf } from '../../transport/peer.ts';
import type { Exchange } from '../request/exchange.ts';
import { combinedEscaped, jsonEscaped, type LineRedactor } from './log-text.ts';
import { LogTimes } from './log-time.ts';
import { loggedFields } from './logged-fields.ts';

/** What a client says of itself is cut to this, so that a line stays short. */
const FIELD_LENGTH = 1_024;

/** The status for clients that leave before they are answered, as in nginx; tools expect a number. */
const CLIENT_LEFT = 499;

/** Makes the line of a request in the Combined Log Format of Apache (mod_log_config). */
export class CombinedLines {
  readonly #times = new LogTimes();
  readonly #redactor: LineRedactor;

  constructor(redactor: LineRedactor) {
    this.#redactor = redactor;
  }

  line(exchange: Exchange, nowMs: number): string {
    const { req } = exchange.response;
    const { userAgent, referer } = loggedFields(req.rawHeaders);
    const address = clientAddressOf(req) ?? '-';
    const url = this.#shown(loggedUrl(exchange.url));
    const protocol = req.httpVersionMajor === 2 ? '2.0' : req.httpVersion;
    return (
      `${this.#word(address)} - ${this.#word(exchange.caller ?? '-')} [${this.#times.combined(nowMs)}]` +
      ` "${this.#shown(exchange.method)} ${url} HTTP/${protocol}"` +
      ` ${exchange.status || CLIENT_LEFT} ${exchange.bodyBytes || '-'}` +
      ` "${referer === undefined ? '-' : this.#shown(loggedUrl(referer).slice(0, FIELD_LENGTH))}"` +
      ` "${userAgent === undefined ? '-' : this.#shown(userAgent.slice(0, FIELD_LENGTH))}"\n`
    );
  }

  #shown(text: string): string {
    const json = this.#redactor.current(jsonEscaped(text));
    return combinedEscaped(json.includes('\\') ? JSON.parse(`"${json}"`) : json);
  }

  /** Without spaces, which separate the fields. */
  #word(text: string): string {
    return this.#shown(text).replaceAll(' ', '\\x20');
  }
}
