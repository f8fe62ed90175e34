import type { Content, ContentReader, Loan } from '../../cache/content.ts';
import type { Coverage } from '../../cache/coverage.ts';
import { LOAN_LIMIT_BYTES } from '../fill/slot-lender.ts';
import type { Collections } from './collected-body.ts';

/**
 * A content that cannot be asked for again, as one client reads it: all of what is read is copied before the first byte goes
 * out, so that the answer is not cut off when memory is needed while its client is slow. Where there is no room for a copy, it is
 * read as it lies.
 *
 * @param quota of the client, see `WebClient.quota`
 */
export function copiedContent(content: Content, copies: Collections, quota: string): Content {
  return {
    sizeBytes: content.sizeBytes,
    parts: content.parts,
    coverage: (from, to) => content.coverage(from, to),
    // in one piece it is held until the client has it
    lend: (from, to) => content.lend(from, to),
    peekText: (from, to) => content.peekText(from, to),
    open: (from, to, hasBegun, trace) => {
      const reader = content.open(from, to, hasBegun, trace);
      return copies.take(to - from, quota) ? new CopyingReader(reader, to - from, copies, quota) : reader;
    },
  };
}

class CopyingReader implements ContentReader {
  readonly #reader: ContentReader;
  readonly #release: () => void;
  readonly #copy: Buffer;
  #copiedBytes = 0;
  #readBytes = 0;

  constructor(reader: ContentReader, lengthBytes: number, copies: Collections, quota: string) {
    this.#reader = reader;
    this.#copy = Buffer.allocUnsafeSlow(lengthBytes);
    this.#release = () => copies.release(lengthBytes, quota);
  }

  next(): Loan | undefined | Promise<Loan | undefined> {
    while (this.#copiedBytes < this.#copy.length) {
      const loan = this.#reader.next();
      if (loan instanceof Promise) return loan.then(arrived => this.#goOn(arrived));
      if (!this.#add(loan)) break;
    }
    return this.#lend();
  }

  get held(): Coverage | undefined {
    return this.#reader.held;
  }

  close(): void {
    this.#reader.close();
    this.#release();
  }

  #goOn(loan: Loan | undefined): Loan | undefined | Promise<Loan | undefined> {
    return this.#add(loan) ? this.next() : this.#lend();
  }

  #add(loan: Loan | undefined): boolean {
    if (!loan) return false;
    this.#copy.set(loan.bytes, this.#copiedBytes);
    this.#copiedBytes += loan.bytes.length;
    loan.release();
    return true;
  }

  #lend(): Loan | undefined {
    const end = Math.min(this.#copiedBytes, this.#readBytes + LOAN_LIMIT_BYTES);
    if (end === this.#readBytes) return undefined;
    const bytes = this.#copy.subarray(this.#readBytes, end);
    this.#readBytes = end;
    return { bytes, slot: undefined, release: () => undefined };
  }
}
