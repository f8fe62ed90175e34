import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type { BodyFlow, StreamedBody } from '../../../backend/store.ts';
import { passOverRest } from '../../../transport/request-bodies.ts';
import { SentMemory } from '../../../transport/sent-memory.ts';
import { brokenBody } from './broken-body.ts';

/** More pieces than this of one read are put together: each would be a write to the store's socket. */
const MAX_PIECES = 8;

/** What the store gets of a body: its steps pass pieces on, and throw if the body is not what it should be. */
export interface BodyConversion {
  /** What is passed on, all in all. */
  readonly lengthBytes: number;
  /** See `StreamedBody`. */
  readonly payloadHash: string;
  /** The next bytes have come from the client. */
  take(bytes: Buffer): void;
  /** All has come. What was held back until then is passed on. */
  end(): void;
}

interface BodyOptions {
  /** @param pass receives what the store gets */
  readonly convert: (pass: (bytes: Buffer) => void) => BodyConversion;
  /** Called once if the body is refused or breaks off; the store must be cut off then. */
  readonly refused: (error: unknown) => void;
}

/**
 * The body of a client's request on its way to the store. Its end is held back until the whole was verified, so the store
 * never gets a complete body that is not what the client declared. The client is read no faster than the store takes the
 * body.
 */
export class ClientBody implements StreamedBody {
  readonly stream: Transform;
  readonly lengthBytes: number;
  readonly payloadHash: string;
  /** Bytes that have come from the client, in its own coding. */
  receivedBytes = 0;
  readonly #request: IncomingMessage;
  readonly #memory: SentMemory;
  readonly #conversion: BodyConversion;
  readonly #refused: (error: unknown) => void;
  #flow: BodyFlow | undefined;
  #isStarved = false;
  #isVerified = false;
  #isOver = false;
  /** What the current step gives to the store. */
  #pieces: Buffer[] = [];

  constructor(request: IncomingMessage, { convert, refused }: BodyOptions) {
    this.#request = request;
    this.#refused = refused;
    this.#conversion = convert(bytes => void this.#pieces.push(bytes));
    this.lengthBytes = this.#conversion.lengthBytes;
    this.payloadHash = this.#conversion.payloadHash;
    this.stream = new Transform({
      transform: (bytes: Buffer, _encoding, done) => this.#arrived(bytes, done),
      flush: done => this.#ended(done),
    });
    this.#memory = new SentMemory(this.stream);
    // a store that has lagged behind takes in this turn what has come meanwhile, and no piece may follow it
    this.stream.on('resume', () => queueMicrotask(() => this.#judge()));
    this.stream.once('close', () => this.stop());
    // whoever reads the stream may destroy it with an error, as undici does when its connection breaks
    this.stream.on('error', () => undefined);
    request.on('error', this.#broken);
    request.pipe(this.stream);
  }

  /**
   * Whether all of the body, verified, was given to the store: its last bytes may be on their way before the stream
   * tells whoever reads it of its end.
   */
  get isSent(): boolean {
    const { readableEnded, readableDidRead, readableLength } = this.stream;
    return readableEnded || (this.#isVerified && readableDidRead && readableLength === 0);
  }

  follow(flow: BodyFlow): void {
    this.#flow = flow;
    this.#judge();
  }

  /**
   * Takes no more of the client. The rest of a small body is passed over, that of another stays unread, and the
   * connection is closed (request-bodies.ts).
   */
  leave(): void {
    this.#isOver = true;
    this.#request.unpipe(this.stream);
    passOverRest(this.#request);
    this.#flow?.satisfied();
    this.#flow = undefined;
  }

  /** The same, and gives nothing more to the store. */
  stop(): void {
    this.leave();
    this.stream.destroy();
  }

  /** No more of the body comes. A client that has left needs no answer, and the response has told so before. */
  readonly #broken = (why: unknown) => {
    if (this.#isOver) return;
    this.stop();
    this.#refused(brokenBody(why));
  };

  #arrived(bytes: Buffer, done: TransformCallback): void {
    this.receivedBytes += bytes.length;
    this.#isStarved = false;
    this.#flow?.fed(bytes.length);
    this.#step(() => this.#conversion.take(bytes), done);
    this.#judge();
  }

  #ended(done: TransformCallback): void {
    this.#flow?.satisfied();
    this.#flow = undefined;
    this.#step(() => {
      this.#conversion.end();
      this.#isVerified = true;
    }, done);
  }

  #step(step: () => void, done: TransformCallback): void {
    try {
      step();
    } catch (error) {
      this.stop();
      this.#refused(error);
      return;
    }
    this.#send();
    done();
  }

  #send(): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    for (const bytes of pieces.length > MAX_PIECES ? [Buffer.concat(pieces)] : pieces)
      this.#memory.push(bytes);
  }

  /** Tells whether the store would take more than the client has sent. */
  #judge(): void {
    if (!this.#flow || this.#isStarved || this.stream.readableLength >= this.stream.readableHighWaterMark)
      return;
    this.#isStarved = true;
    this.#flow.starved();
  }
}
