import type { ServerResponse } from 'node:http';
import type { Timer } from '../../base/clock.ts';
import type { ContentReader, Loan } from '../../cache/content.ts';
import type { Coverage } from '../../cache/coverage.ts';
import { holdBack } from '../../transport/held-back.ts';
import type { BodyRate } from './body-rates.ts';

/**
 * Reads a content in pieces, no faster than the limits of its client allow. While it waits it holds no loan, and so no
 * cache memory (docs/architecture.md, law 8), and nothing is fetched for it.
 */
export class PacedReader implements ContentReader {
  readonly #reader: ContentReader;
  readonly #rate: BodyRate;
  readonly #response: ServerResponse;
  #endWait: (() => void) | undefined;
  #isClosed = false;

  constructor(reader: ContentReader, rate: BodyRate, response: ServerResponse) {
    this.#reader = reader;
    this.#rate = rate;
    this.#response = response;
  }

  next(): Loan | undefined | Promise<Loan | undefined> {
    const waitMs = this.#rate.reserve(this.#rate.pieceBytes);
    return waitMs > 0 ? this.#readLater(waitMs) : this.#read();
  }

  get held(): Coverage | undefined {
    return this.#reader.held;
  }

  close(): void {
    this.#isClosed = true;
    this.#endWait?.();
    this.#reader.close();
  }

  async #readLater(waitMs: number): Promise<Loan | undefined> {
    await this.#wait(waitMs);
    if (!this.#isClosed) return this.#read();
    this.#rate.giveBack(this.#rate.pieceBytes);
    return undefined;
  }

  #wait(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const goOn = holdBack(this.#response);
    let timer: Timer | undefined;
    this.#endWait = () => {
      this.#endWait = undefined;
      timer?.cancel();
      goOn();
      resolve();
    };
    timer = this.#rate.clock.after(waitMs, () => this.#endWait?.());
    return promise;
  }

  #read(): Loan | undefined | Promise<Loan | undefined> {
    const next = this.#reader.next(this.#rate.pieceBytes);
    if (next instanceof Promise) return next.then(this.#counted);
    return this.#counted(next);
  }

  /** A loan may be shorter than what was reserved, or longer if another worker owns the object. */
  readonly #counted = (loan: Loan | undefined): Loan | undefined => {
    const leftBytes = this.#rate.pieceBytes - (loan?.bytes.length ?? 0);
    if (leftBytes > 0) this.#rate.giveBack(leftBytes);
    else if (leftBytes < 0) this.#rate.charge(-leftBytes);
    return loan;
  };
}
