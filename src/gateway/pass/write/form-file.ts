import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type { BodyFlow, StreamedBody } from '../../../backend/store.ts';
import type { DeclaredPayload } from '../../../s3/declared-payload.ts';
import type { HeaderPrefix } from '../../../s3/dialect.ts';
import { s3Error } from '../../../s3/error.ts';
import { delimiterOf, endOf } from '../../../s3/form-head.ts';
import { PlainEncoder } from '../../../s3/payload-encoder.ts';
import { PayloadVerifier } from '../../../s3/payload-verifier.ts';
import { UNSIGNED_PAYLOAD } from '../../../s3/sigv4-canonical.ts';
import { ServedRequest } from '../../../transport/served-request.ts';

const NOT_LAST_TEXT =
  'In a form of more than 1 MiB, the file has to be the last field, and the form has to end right behind it.';

/** What concerns the way of a file from its form to the store. */
interface FileOptions {
  readonly declared: DeclaredPayload;
  readonly boundary: string;
  /** The dialect of the client. */
  readonly prefix: HeaderPrefix;
  /** Called once if the file is not what was declared; the store must be cut off then. */
  readonly refused: (error: unknown) => void;
}

/**
 * The file of a large form on its way to the store. Stores want to know its length before, so it has to be the last
 * field: then it ends so many bytes before the body does. Its end is held back until that has turned out to be true.
 */
export class FormFile implements StreamedBody {
  readonly stream: Transform;
  readonly lengthBytes: number;
  readonly payloadHash = UNSIGNED_PAYLOAD;
  readonly #request: IncomingMessage;
  readonly #verifier: PayloadVerifier;
  readonly #encoder: PlainEncoder;
  readonly #delimiter: Buffer;
  readonly #end: Buffer;
  readonly #refused: (error: unknown) => void;
  #flow: BodyFlow | undefined;
  #isStarved = false;
  #isVerified = false;
  #isOver = false;
  /** Of the file, and of what is behind it. */
  #receivedBytes = 0;
  /** The last bytes, with which a delimiter may begin. */
  #carry = Buffer.alloc(0);

  /** @param request is at the begin of the file */
  constructor(request: IncomingMessage, { declared, boundary, prefix, refused }: FileOptions) {
    this.#request = request;
    this.#refused = refused;
    this.lengthBytes = declared.lengthBytes;
    this.#delimiter = delimiterOf(boundary);
    this.#end = endOf(boundary);
    this.#encoder = new PlainEncoder(declared.lengthBytes, bytes => void this.stream.push(bytes));
    this.#verifier = new PayloadVerifier(declared, prefix, bytes => this.#encoder.content(bytes));
    this.stream = new Transform({
      transform: (bytes: Buffer, _encoding, done) => this.#arrived(bytes, done),
      flush: done => this.#ended(done),
    });
    this.stream.once('close', () => this.stop());
    // who reads the stream learns why it failed from `refused`
    this.stream.on('error', () => undefined);
    request.on('error', this.#broken);
    request.pipe(this.stream);
  }

  /** Whether all of the file was given to the store; see `ClientBody.isSent`. */
  get isSent(): boolean {
    const { readableEnded, readableDidRead, readableLength } = this.stream;
    return readableEnded || (this.#isVerified && readableDidRead && readableLength === 0);
  }

  follow(flow: BodyFlow): void {
    this.#flow = flow;
    this.#judge();
  }

  /** Takes no more of the client; see `ClientBody.stop`. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#request.unpipe(this.stream);
    if (!(this.#request instanceof ServedRequest && this.#request.isBodyTaken)) this.#request.resume();
    if (this.#isStarved) this.#flow?.satisfied();
    this.#flow = undefined;
    this.stream.destroy();
  }

  readonly #broken = () => {
    if (this.#isOver) return;
    this.stop();
    this.#refused(s3Error('IncompleteBody', { reason: 'the body broke off' }));
  };

  #arrived(bytes: Buffer, done: TransformCallback): void {
    this.#isStarved = false;
    this.#flow?.fed(bytes.length);
    this.#step(() => this.#take(bytes), done);
    this.#judge();
  }

  #ended(done: TransformCallback): void {
    this.#isStarved = false;
    this.#flow?.satisfied();
    this.#flow = undefined;
    this.#step(() => {
      if (this.#receivedBytes !== this.lengthBytes + this.#end.length) throw notLast();
      this.#verifier.end();
      this.#encoder.end();
      this.#isVerified = true;
    }, done);
  }

  #take(bytes: Buffer): void {
    const content = bytes.subarray(0, Math.max(0, this.lengthBytes - this.#receivedBytes));
    this.#requireNoDelimiter(content);
    const rest = bytes.subarray(content.length);
    const at = this.#receivedBytes + content.length - this.lengthBytes;
    this.#receivedBytes += bytes.length;
    if (rest.length > 0 && !rest.equals(this.#end.subarray(at, at + rest.length))) throw notLast();
    if (content.length > 0) this.#verifier.write(content);
  }

  /** The file may end before it should, with further fields behind it. */
  #requireNoDelimiter(content: Buffer): void {
    const seam = Buffer.concat([this.#carry, content.subarray(0, this.#delimiter.length)]);
    if (seam.includes(this.#delimiter) || content.includes(this.#delimiter)) throw notLast();
    const kept = this.#delimiter.length - 1;
    this.#carry = Buffer.concat([this.#carry, content.subarray(-kept)]).subarray(-kept);
  }

  #step(step: () => void, done: TransformCallback): void {
    if (this.#isOver) return;
    try {
      step();
    } catch (error) {
      this.stop();
      this.#refused(error);
      return;
    }
    done();
  }

  /** Tells whether the store would take more than the client has sent. */
  #judge(): void {
    if (this.#isOver || this.stream.readableLength >= this.stream.readableHighWaterMark) return;
    this.#isStarved = true;
    this.#flow?.starved();
  }
}

function notLast() {
  return s3Error('MalformedPOSTRequest', { message: NOT_LAST_TEXT });
}
