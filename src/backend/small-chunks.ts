import { StoreError } from './store.ts';

/** Larger chunks are passed on as they are. */
const SMALL_BYTES = 4 * 1024;
const GATHER_BYTES = 16 * 1024;

/** A body of more small chunks than this must have `AVERAGE_BYTES` in each. */
const FREE_CHUNKS = 16 * 1024;
const AVERAGE_BYTES = 32;

/**
 * Joins the small chunks of a body (RFC 9112 §7.1). A store may put every byte into a chunk of its own; what follows
 * (meters, readers, the client's queue) would then do its work once per byte. Chunks are gathered until the current
 * read of the connection has been parsed. A body of very many tiny chunks is refused, since even parsing them costs
 * more than all the rest.
 */
export class SmallChunks {
  readonly #pass: (bytes: Buffer) => void;
  #gathered: Buffer | undefined;
  #lengthBytes = 0;
  #isFlushDue = false;
  #isPaused = false;
  #chunks = 0;
  #totalBytes = 0;

  /** @param pass receives the bytes in order; the memory is valid only during the call */
  constructor(pass: (bytes: Buffer) => void) {
    this.#pass = pass;
  }

  /**
   * Takes the next chunk, whose memory may be reused after the call.
   *
   * @returns an error when the body consists of tiny chunks: it has to be given up
   */
  arrived(chunk: Buffer): StoreError | undefined {
    if (chunk.length >= SMALL_BYTES) {
      if (!this.#isPaused) this.flush();
      // the receiver may have paused the call on receipt of what was gathered
      if (this.#isPaused) this.#gather(chunk);
      else this.#pass(chunk);
      return undefined;
    }
    this.#totalBytes += chunk.length;
    if (++this.#chunks > FREE_CHUNKS && this.#totalBytes < this.#chunks * AVERAGE_BYTES)
      return new StoreError('INVALID', 'the store sends its body in chunks of a few bytes', undefined);
    this.#gather(chunk);
    return undefined;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Keeps what was gathered until `resume`: a paused call delivers nothing. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Passes on what was gathered; the receiver may pause the call again. */
  resume(): void {
    this.#isPaused = false;
    this.flush();
  }

  /** Passes on what was gathered. Must be called before the end of the body is reported. */
  flush(): void {
    const lengthBytes = this.#lengthBytes;
    this.#lengthBytes = 0;
    if (this.#gathered && lengthBytes > 0) this.#pass(this.#gathered.subarray(0, lengthBytes));
  }

  /** Drops what was gathered: the call was aborted. */
  drop(): void {
    this.#lengthBytes = 0;
  }

  #gather(chunk: Buffer): void {
    if (this.#lengthBytes + chunk.length > GATHER_BYTES && !this.#isPaused) this.flush();
    this.#makeRoom(this.#lengthBytes + chunk.length).set(chunk, this.#lengthBytes);
    this.#lengthBytes += chunk.length;
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    // microtasks run when the read has been parsed
    queueMicrotask(() => {
      this.#isFlushDue = false;
      if (!this.#isPaused) this.flush();
    });
  }

  /** Only a paused call may need more than `GATHER_BYTES`: the rest of what was parsed when it was paused. */
  #makeRoom(lengthBytes: number): Buffer {
    if (this.#gathered && this.#gathered.length >= lengthBytes) return this.#gathered;
    const memory = Buffer.allocUnsafeSlow(Math.max(GATHER_BYTES, lengthBytes));
    this.#gathered?.copy(memory, 0, 0, this.#lengthBytes);
    this.#gathered = memory;
    return memory;
  }
}
