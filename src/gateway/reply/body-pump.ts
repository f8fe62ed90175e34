import type { ServerResponse } from 'node:http';
import type { ContentReader, Loan } from '../../cache/content.ts';

/** How a body ended. */
export type BodyEnd =
  | { readonly kind: 'sent' }
  | { readonly kind: 'client-left' }
  | { readonly kind: 'failed'; readonly error: Error };

/**
 * Sends what `reader` gives as the rest of a response whose head has been written, one loan after the other: the
 * next is taken when the socket has taken the last. A body that cannot be completed is cut off with the connection,
 * never padded and never cleanly ended short.
 */
export class BodyPump {
  readonly #response: ServerResponse;
  readonly #reader: ContentReader;
  readonly #onEnd: (end: BodyEnd) => void;
  readonly #onClose = () => this.#finish({ kind: 'client-left' });
  readonly #lengthBytes: number;
  #sentBytes = 0;
  #loan: Loan | undefined;
  #isOver = false;

  /** @param lengthBytes of the whole body. */
  constructor(
    response: ServerResponse,
    reader: ContentReader,
    lengthBytes: number,
    onEnd: (end: BodyEnd) => void,
  ) {
    this.#response = response;
    this.#reader = reader;
    this.#lengthBytes = lengthBytes;
    this.#onEnd = onEnd;
    response.on('close', this.#onClose);
  }

  /** Bytes that the socket has taken. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  /** Begins with `first`, when the caller has taken it from the reader already. */
  start(first: Loan | undefined): void {
    if (first) this.#send(first);
    else this.#advance();
  }

  #advance(): void {
    if (this.#isOver) return;
    let next: Loan | undefined | Promise<Loan | undefined>;
    try {
      next = this.#reader.next();
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (next instanceof Promise)
      next.then(
        loan => this.#arrived(loan),
        error => this.#fail(error),
      );
    else this.#arrived(next);
  }

  #arrived(loan: Loan | undefined): void {
    if (this.#isOver) loan?.release();
    else if (loan) this.#send(loan);
    else this.#fail(new Error('the content ended before its length'));
  }

  #send(loan: Loan): void {
    this.#loan = loan;
    if (this.#sentBytes + loan.bytes.length < this.#lengthBytes)
      this.#response.write(loan.bytes, this.#onTaken);
    else this.#response.end(loan.bytes, this.#onLastTaken);
  }

  readonly #onTaken = (error?: Error | null): void => {
    if (error || this.#isOver) return;
    this.#giveBack();
    this.#advance();
  };

  readonly #onLastTaken = (error?: Error | null): void => {
    if (error || this.#isOver) return;
    this.#giveBack();
    this.#finish({ kind: 'sent' });
  };

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#finish({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    this.#response.destroy();
  }

  #giveBack(): void {
    if (!this.#loan) return;
    this.#sentBytes += this.#loan.bytes.length;
    this.#loan.release();
    this.#loan = undefined;
  }

  #finish(end: BodyEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#response.off('close', this.#onClose);
    this.#loan?.release();
    this.#loan = undefined;
    this.#reader.close();
    this.#onEnd(end);
  }
}
