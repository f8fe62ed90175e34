import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { BodyFlow, StreamedBody } from '../../../backend/store.ts';
import { RawBody, type RawBodySink } from '../../../transport/raw-body.ts';
import { passOverRest } from '../../../transport/request-bodies.ts';
import { SentMemory } from '../../../transport/sent-memory.ts';
import { brokenBody } from './broken-body.ts';
import type { UploadPace } from './upload-pace.ts';

/** More pieces than this of one read are put together: each would be a write to the store's socket. */
const MAX_PIECES = 8;

/** What `RawBody` reads at once: too much for a client whose pieces are smaller. */
const RAW_PIECE_BYTES = 256 * 1024;

/** What the store gets of a body: its steps pass pieces on, and throw if the body is not what it should be. */
export interface BodyConversion {
  /** What is passed on, all in all; undefined where that is not known before its end. */
  readonly lengthBytes: number | undefined;
  /** See `StreamedBody`. */
  readonly payloadHash: string;
  /** The next bytes have arrived from the client. Any that are held back must be copied. */
  take(bytes: Buffer): void;
  /** All has come. What was held back until then is passed on. */
  end(): void;
}

interface BodyOptions {
  /** @param pass receives what the store gets */
  readonly convert: (pass: (bytes: Buffer) => void) => BodyConversion;
  /** How fast the client may send; undefined: no limit. */
  readonly pace: UploadPace | undefined;
  /** Called for bytes that have come, in the client's own coding. */
  readonly arrived: (lengthBytes: number) => void;
  /** Called once if the body is refused or breaks off; the store must be cut off then. */
  readonly refused: (error: unknown) => void;
}

/**
 * The body of a client's request on its way to the store. Its end is held back until the whole was verified, so the store
 * never gets a complete body that is not what the client declared. The client is read no faster than the store takes the
 * body.
 */
export class ClientBody implements StreamedBody, RawBodySink {
  readonly stream: Readable;
  readonly lengthBytes: number | undefined;
  readonly payloadHash: string;
  readonly #request: IncomingMessage;
  readonly #memory: SentMemory;
  readonly #conversion: BodyConversion;
  readonly #pace: UploadPace | undefined;
  readonly #arrived: (lengthBytes: number) => void;
  readonly #refused: (error: unknown) => void;
  #flow: BodyFlow | undefined;
  #raw: RawBody | undefined;
  #isStarved = false;
  #isVerified = false;
  #isOver = false;
  /** What the current step gives to the store. */
  #pieces: Buffer[] = [];

  constructor(request: IncomingMessage, { convert, pace, arrived, refused }: BodyOptions) {
    this.#request = request;
    this.#pace = pace;
    this.#arrived = arrived;
    this.#refused = refused;
    this.#conversion = convert(bytes => void this.#pieces.push(bytes));
    this.lengthBytes = this.#conversion.lengthBytes;
    this.payloadHash = this.#conversion.payloadHash;
    this.stream = new Readable({ read: () => this.#wanted() });
    this.#memory = new SentMemory(this.stream);
    // a store that has lagged behind takes in this turn what has come meanwhile, and no piece may follow it
    this.stream.on('resume', () => {
      // the stream does not ask again after bytes of which nothing was passed on
      this.#wanted();
      queueMicrotask(() => this.#judge());
    });
    this.stream.once('close', () => this.stop());
    // whoever reads the stream may destroy it with an error, as undici does when its connection breaks
    this.stream.on('error', () => undefined);
    request.on('data', this.#read).on('end', this.#ended).on('error', this.#broken);
    // node:http may be parsing the first bytes in this turn
    if (!pace || pace.pieceBytes >= RAW_PIECE_BYTES) setImmediate(() => this.#readRaw());
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
    if (!this.#isOver) this.#request.off('data', this.#read).pause();
    this.#isOver = true;
    this.#raw?.stop();
    this.#pace?.stop();
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

  /** From `RawBody`. */
  arrived(bytes: Buffer, release: (() => void) | undefined): void {
    if (this.#isOver) return;
    this.#arrived(bytes.length);
    this.#pace?.count(bytes.length, this.#goOn);
    this.#isStarved = false;
    this.#flow?.fed(bytes.length);
    if (this.#step(() => this.#conversion.take(bytes), release !== undefined) && release)
      this.#memory.whenTaken(release);
    this.#judge();
  }

  get wantsMore(): boolean {
    return this.#hasRoom && !this.#pace?.isWaiting;
  }

  /** Whether the store would take more. */
  get #hasRoom(): boolean {
    return !this.stream.isPaused() && this.stream.readableLength < this.stream.readableHighWaterMark;
  }

  readonly #read = (bytes: Buffer) => {
    this.arrived(bytes, undefined);
    if (!this.wantsMore) this.#request.pause();
  };

  readonly #ended = () => {
    if (this.#isOver) return;
    this.#flow?.satisfied();
    this.#flow = undefined;
    const isWhole = this.#step(() => {
      this.#conversion.end();
      this.#isVerified = true;
    }, false);
    if (isWhole) this.stream.push(null);
  };

  /** The client need not wait any more. */
  readonly #goOn = () => {
    if (this.#hasRoom) this.#wanted();
  };

  /** The stream wants more. */
  #wanted(): void {
    if (this.#isOver || this.#pace?.isWaiting) return;
    if (this.#raw) this.#raw.goOn();
    else this.#request.resume();
  }

  /** Reads the rest of a large body past node:http. */
  #readRaw(): void {
    const request = this.#request;
    this.#raw = this.#isOver ? undefined : RawBody.begin(request, this);
    if (!this.#raw) return;
    request.off('data', this.#read);
    this.#raw.start();
  }

  /** @param isLent whether the bytes passed on may be in memory that is reused */
  #step(step: () => void, isLent: boolean): boolean {
    try {
      step();
    } catch (error) {
      this.stop();
      this.#refused(error);
      return false;
    }
    this.#send(isLent);
    return true;
  }

  #send(isLent: boolean): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    for (const bytes of pieces.length > MAX_PIECES ? [Buffer.concat(pieces)] : pieces)
      this.#memory.push(bytes, isLent);
  }

  /** Tells whether the store would take more than the client has sent. */
  #judge(): void {
    if (!this.#flow || this.#isStarved || !this.#hasRoom) return;
    this.#isStarved = true;
    this.#flow.starved();
  }
}
