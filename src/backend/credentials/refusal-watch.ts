import type { OriginReceiver } from '../origin-call.ts';
import type { StoreError } from '../store.ts';

/** Errors of stores that new credentials may end. */
const refusal = /<Code>\s*(?:ExpiredToken|InvalidAccessKeyId|InvalidToken|TokenRefreshRequired)\s*<\/Code>/;

/** An error document names its code in the first line or two. */
const SEARCHED_BYTES = 1_024;

/** Passes an answer on, and notices when it says that the store does not accept the credentials. */
export class RefusalWatch implements OriginReceiver {
  readonly #receiver: OriginReceiver;
  readonly #method: string;
  readonly #onRefused: () => void;
  /** The beginning of an error document; undefined where the answer is none, or was recognised. */
  #text: string | undefined;

  constructor(receiver: OriginReceiver, method: string, onRefused: () => void) {
    this.#receiver = receiver;
    this.#method = method;
    this.#onRefused = onRefused;
  }

  answered(status: number, rawHeaders: readonly string[]): void {
    // the answer to a HEAD has no code; a store answers 400 to a token that has expired
    if (this.#method === 'HEAD') {
      if (status === 400) this.#onRefused();
    } else if (status === 400 || status === 401 || status === 403) this.#text = '';
    this.#receiver.answered(status, rawHeaders);
  }

  arrived(chunk: Buffer): void {
    if (this.#text !== undefined) this.#search(this.#text, chunk);
    this.#receiver.arrived(chunk);
  }

  ended(): void {
    this.#receiver.ended();
  }

  failed(error: StoreError): void {
    this.#receiver.failed(error);
  }

  #search(before: string, chunk: Buffer): void {
    const text = before + chunk.toString('latin1', 0, SEARCHED_BYTES - before.length);
    const isRefusal = refusal.test(text);
    this.#text = isRefusal || text.length >= SEARCHED_BYTES ? undefined : text;
    if (isRefusal) this.#onRefused();
  }
}
