import type { ServerHttp2Stream } from 'node:http2';
import { Writable } from 'node:stream';

/**
 * A session encrypts and keeps all that its client's windows allow, of all its streams. So each stream has one piece under
 * way at a time.
 */
const PIECE_BYTES = 64 * 1024;

/** Writes the body of a response of HTTP/2 in pieces. */
export class StreamBody extends Writable {
  readonly #stream: ServerHttp2Stream;
  #sentOfChunk = 0;

  constructor(stream: ServerHttp2Stream) {
    super({ highWaterMark: PIECE_BYTES });
    this.#stream = stream;
    // whoever waits for it hears of the end of the stream
    this.on('error', () => undefined);
  }

  /** Bytes that the client has not accepted yet. */
  get queuedBytes(): number {
    return this.writableLength - this.#sentOfChunk;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const next = (error?: Error | null) => {
      const from = this.#sentOfChunk;
      if (error || from >= chunk.length) {
        this.#sentOfChunk = 0;
        done(error);
        return;
      }
      const piece = chunk.subarray(from, from + PIECE_BYTES);
      this.#stream.write(piece, sent => {
        this.#sentOfChunk += piece.length;
        next(sent);
      });
    };
    next();
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#stream.writableFinished) done();
    else {
      this.#stream.once('finish', () => done());
      this.#stream.end();
    }
  }
}
