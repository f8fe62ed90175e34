import { OperationError } from './operation-error.ts';

/** Reads a stream by lines and lengths; data is passed on without joining chunks. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The text up to the next CRLF. @throws IncompleteBody when the stream ends or the line exceeds `maxBytes` */
  async line(maxBytes: number): Promise<string> {
    let line = '';
    while (!line.endsWith('\r\n')) {
      if (this.#chunk.length === 0) await this.#next();
      const end = this.#chunk.indexOf(0x0a) + 1 || this.#chunk.length;
      line += Buffer.from(this.#chunk.subarray(0, end)).toString('latin1');
      this.#chunk = this.#chunk.subarray(end);
      if (line.length > maxBytes) throw new OperationError('IncompleteBody');
    }
    return line.slice(0, -2);
  }

  /** The next `length` bytes, in chunks as they arrive. @throws IncompleteBody when there are fewer */
  async *bytes(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; ) {
      if (this.#chunk.length === 0) await this.#next();
      const taken = this.#chunk.subarray(0, left);
      this.#chunk = this.#chunk.subarray(taken.length);
      left -= taken.length;
      if (taken.length > 0) yield taken;
    }
  }

  async #next(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (done) throw new OperationError('IncompleteBody');
    this.#chunk = value;
  }
}
