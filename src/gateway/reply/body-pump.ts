import type { ServerResponse } from 'node:http';
import type { ContentReader, Loan } from '../../cache/content.ts';
import type { Answer } from '../../transport/answer.ts';
import { cutOff } from '../../transport/cut-off.ts';
import type { QueuedSender } from '../../transport/send-turns.ts';
import { sendQueueOf } from '../../transport/stream-response.ts';
import type { PendingSend, PendingSends } from './pending-sends.ts';

/** How sending a body ended. */
export type PumpOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'client-left' }
  | { readonly kind: 'failed'; readonly error: Error };

/** What a pump reports to. */
interface PumpCallbacks {
  /** The registry of responses that wait for their clients. */
  readonly sends: PendingSends;
  readonly onEnd: (end: PumpOutcome) => void;
  /** Receives an exception thrown while the last loan was released. */
  readonly onFault?: (error: unknown) => void;
}

/**
 * Sends the loans of `reader` as a response body, the next one when the connection has accepted the last. If the body
 * cannot be completed, the connection is closed: a truncated response must not look complete.
 */
export class BodyPump implements PendingSend, QueuedSender {
  readonly #response: ServerResponse;
  readonly #answer: Answer;
  readonly #reader: ContentReader;
  readonly #callbacks: PumpCallbacks;
  readonly #onClose = () => this.#guarded(() => this.#finish({ kind: 'client-left' }));
  readonly #lengthBytes: number;
  #sentBytes = 0;
  #loan: Loan | undefined;
  #isOver = false;

  /**
   * @param response the response of `answer`, which has begun
   * @param lengthBytes length of the whole body
   */
  constructor(
    response: ServerResponse,
    answer: Answer,
    reader: ContentReader,
    lengthBytes: number,
    callbacks: PumpCallbacks,
  ) {
    this.#response = response;
    this.#answer = answer;
    this.#reader = reader;
    this.#lengthBytes = lengthBytes;
    this.#callbacks = callbacks;
    response.on('close', this.#onClose);
  }

  /** Bytes that the connection has accepted. */
  get sentBytes(): number {
    return this.#sentBytes;
  }

  get loan(): Loan | undefined {
    return this.#loan;
  }

  get socket(): object | null {
    return sendQueueOf(this.#response);
  }

  cutOff(error: Error): void {
    this.#guarded(() => this.#fail(error));
  }

  /** Starts with `first`, if the caller has already taken it from the reader. */
  start(first: Loan | undefined): void {
    if (!first || this.#isTaken(first)) this.#advance();
  }

  /** Continues until it must wait, or to the end. */
  #advance(): void {
    while (!this.#isOver && this.#sentBytes < this.#lengthBytes) {
      const next = this.#next();
      if (!next || !this.#isTaken(next)) return;
    }
    if (!this.#isOver) this.#complete();
  }

  /** The next loan if it is available synchronously; otherwise continues later, or fails. */
  #next(): Loan | undefined {
    try {
      const next = this.#reader.next();
      if (next instanceof Promise) next.then(this.#onArrived, this.#onFailed);
      else if (next) return next;
      else this.#fail(new Error('the content ended early'));
    } catch (error) {
      this.#fail(error);
    }
    return undefined;
  }

  readonly #onArrived = (loan: Loan | undefined): void =>
    this.#guarded(() => {
      if (this.#isOver) loan?.release();
      else if (!loan) this.#fail(new Error('the content ended early'));
      else if (this.#isTaken(loan)) this.#advance();
    });

  sendNow(): void {
    this.#guarded(() => {
      if (this.#loan && this.#isWritten(this.#loan)) this.#advance();
    });
  }

  /** Sends `loan`. False while it waits for its turn or for the connection; sending continues automatically then. */
  #isTaken(loan: Loan): boolean {
    this.#loan = loan;
    return this.#callbacks.sends.turns.mayBegin(this, loan.bytes.length) && this.#isWritten(loan);
  }

  #isWritten(loan: Loan): boolean {
    if (this.#answer.write(loan.bytes, this.#onTaken)) {
      this.#releaseLoan();
      return true;
    }
    this.#callbacks.sends.watch(this);
    return false;
  }

  readonly #onTaken = (): void =>
    this.#guarded(() => {
      if (this.#isOver) return;
      this.#releaseLoan();
      this.#advance();
    });

  #complete(): void {
    this.#finish({ kind: 'sent' });
    this.#answer.end();
  }

  readonly #onFailed = (error: unknown): void => this.#guarded(() => this.#fail(error));

  /** Isolates event handlers: an exception ends only this body. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (this.#isOver) this.#callbacks.onFault?.(error);
      else this.#guarded(() => this.#fail(error));
    }
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#finish({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
    cutOff(this.#response);
  }

  #releaseLoan(): void {
    if (!this.#loan) return;
    this.#sentBytes += this.#loan.bytes.length;
    this.#loan.release();
    this.#loan = undefined;
  }

  #finish(end: PumpOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#callbacks.sends.forget(this);
    this.#callbacks.sends.turns.cancel(this);
    this.#response.off('close', this.#onClose);
    try {
      this.#loan?.release();
      this.#loan = undefined;
    } finally {
      this.#reader.close();
      this.#callbacks.onEnd(end);
    }
  }
}
