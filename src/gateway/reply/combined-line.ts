import { withoutSecrets } from '../../base/redaction.ts';
import { loggedUrl } from '../../s3/logged-url.ts';
import { clientAddressOf } from '../../transport/peer.ts';
import type { Exchange } from '../request/exchange.ts';
import { combinedEscaped, type LineRedactor, loggedField } from './log-text.ts';
import { LogTimes } from './log-time.ts';
import { loggedFields } from './logged-fields.ts';

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
      ` "${referer === undefined ? '-' : this.#field(referer)}"` +
      ` "${userAgent === undefined ? '-' : this.#field(userAgent)}"\n`
    );
  }

  #shown(text: string): string {
    return combinedEscaped(withoutSecrets(text, this.#redactor.current));
  }

  #field(text: string): string {
    return this.#shown(loggedField(text, this.#redactor.current));
  }

  /** Without spaces, which separate the fields. */
  #word(text: string): string {
    return this.#shown(text).replaceAll(' ', '\\x20');
  }
}
