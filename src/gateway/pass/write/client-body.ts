import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type { BodyFlow, StreamedBody } from '../../../backend/store.ts';
import type { DeclaredPayload } from '../../../s3/declared-payload.ts';
import type { HeaderPrefix } from '../../../s3/dialect.ts';
import { s3Error } from '../../../s3/error.ts';
import { type PayloadEncoder, PlainEncoder, TrailerEncoder } from '../../../s3/payload-encoder.ts';
import { PayloadVerifier } from '../../../s3/payload-verifier.ts';
import { UNSIGNED_PAYLOAD } from '../../../s3/sigv4-canonical.ts';
import { passOverRest } from '../../../transport/request-bodies.ts';

/** More pieces than this of one read are put together: each would be a write to the store's socket. */
const MAX_PIECES = 8;

/** What a client says of its body, and what concerns the way that it takes. */
export interface BodyOptions {
  readonly declared: DeclaredPayload;
  /** The dialects of the client and of the store. */
  readonly prefixes: {
    readonly client: HeaderPrefix;
    readonly store: HeaderPrefix;
  };
  /** Called once if the body is not what was declared; the store must be cut off then. */
  readonly refused: (error: unknown) => void;
}

/**
 * The body of a client's request on its way to the store: verified, and encoded for the store. Its end is held back until
 * the whole was verified, so the store never gets a complete body that is not what the client declared. The client is
 * read no faster than the store takes the body.
 */
export class ClientBody implements StreamedBody {
  readonly stream: Transform;
  readonly lengthBytes: number;
  readonly payloadHash: string;
  /** Bytes that have come from the client, in its own coding. */
  receivedBytes = 0;
  readonly #request: IncomingMessage;
  readonly #verifier: PayloadVerifier;
  readonly #encoder: PayloadEncoder;
  readonly #refused: (error: unknown) => void;
  #flow: BodyFlow | undefined;
  #isStarved = false;
  #isVerified = false;
  #isOver = false;
  /** What the current step gives to the store. */
  #pieces: Buffer[] = [];

  constructor(request: IncomingMessage, { declared, prefixes, refused }: BodyOptions) {
    this.#request = request;
    this.#refused = refused;
    this.#encoder = encoderFor(declared, prefixes.store, bytes => void this.#pieces.push(bytes));
    this.#verifier = new PayloadVerifier(declared, prefixes.client, bytes => this.#encoder.content(bytes));
    this.lengthBytes = this.#encoder.lengthBytes;
    this.payloadHash = payloadHashOf(declared);
    this.stream = new Transform({
      transform: (bytes: Buffer, _encoding, done) => this.#arrived(bytes, done),
      flush: done => this.#ended(done),
    });
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
  stop(): void {
    this.#isOver = true;
    this.#request.unpipe(this.stream);
    passOverRest(this.#request);
    this.#flow?.satisfied();
    this.#flow = undefined;
    this.stream.destroy();
  }

  /** No more of the body comes. A client that has left needs no answer, and the response has told so before. */
  readonly #broken = () => {
    if (this.#isOver) return;
    this.stop();
    this.#refused(s3Error('IncompleteBody', { reason: 'the body broke off' }));
  };

  #arrived(bytes: Buffer, done: TransformCallback): void {
    this.receivedBytes += bytes.length;
    this.#isStarved = false;
    this.#flow?.fed(bytes.length);
    this.#step(() => this.#verifier.write(bytes), done);
    this.#judge();
  }

  #ended(done: TransformCallback): void {
    this.#flow?.satisfied();
    this.#flow = undefined;
    this.#step(() => {
      this.#encoder.end(this.#verifier.end());
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
      this.stream.push(bytes);
  }

  /** Tells whether the store would take more than the client has sent. */
  #judge(): void {
    if (!this.#flow || this.#isStarved || this.stream.readableLength >= this.stream.readableHighWaterMark)
      return;
    this.#isStarved = true;
    this.#flow.starved();
  }
}

function encoderFor(
  { lengthBytes, checksum }: DeclaredPayload,
  prefix: HeaderPrefix,
  pass: (bytes: Buffer) => void,
): PayloadEncoder {
  if (checksum?.kind !== 'trailer') return new PlainEncoder(lengthBytes, pass);
  const { algorithm } = checksum;
  return new TrailerEncoder(lengthBytes, `${prefix}checksum-${algorithm}`, algorithm, pass);
}

/** The gateway signs no chunks: it holds the end of the body back instead. */
function payloadHashOf({ sha256, checksum }: DeclaredPayload): string {
  if (checksum?.kind === 'trailer') return 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
  return sha256 ?? UNSIGNED_PAYLOAD;
}
