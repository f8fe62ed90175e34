import type { DeclaredPayload } from '../../../s3/declared-payload.ts';
import type { HeaderPrefix } from '../../../s3/dialect.ts';
import { s3Error } from '../../../s3/error.ts';
import { delimiterOf, endOf } from '../../../s3/form-head.ts';
import { PlainEncoder } from '../../../s3/payload-encoder.ts';
import { PayloadVerifier } from '../../../s3/payload-verifier.ts';
import { UNSIGNED_PAYLOAD } from '../../../s3/sigv4-canonical.ts';
import type { BodyConversion } from './client-body.ts';

const NOT_LAST_TEXT =
  'In a form of more than 1 MiB, the file has to be the last field, and the form has to end right behind it.';

/** What is known of a file from the head of its form. */
interface FileOptions {
  readonly declared: DeclaredPayload;
  readonly boundary: string;
  /** The dialect of the client. */
  readonly prefix: HeaderPrefix;
}

/**
 * The file of a large form, out of the rest of the form that begins with it. Stores want to know its length before, so it
 * has to be the last field: then it ends so many bytes before the body does. Its end is held back until that has turned
 * out to be true.
 */
export class FormFile implements BodyConversion {
  readonly lengthBytes: number;
  readonly payloadHash = UNSIGNED_PAYLOAD;
  readonly #verifier: PayloadVerifier;
  readonly #encoder: PlainEncoder;
  readonly #delimiter: Buffer;
  readonly #end: Buffer;
  /** Of the file, and of what is behind it. */
  #receivedBytes = 0;
  /** The last bytes, with which a delimiter may begin. */
  #carry = Buffer.alloc(0);

  constructor({ declared, boundary, prefix }: FileOptions, pass: (bytes: Buffer) => void) {
    this.lengthBytes = declared.lengthBytes;
    this.#delimiter = delimiterOf(boundary);
    this.#end = endOf(boundary);
    this.#encoder = new PlainEncoder(declared.lengthBytes, pass);
    this.#verifier = new PayloadVerifier(declared, prefix, bytes => this.#encoder.content(bytes));
  }

  take(bytes: Buffer): void {
    const content = bytes.subarray(0, Math.max(0, this.lengthBytes - this.#receivedBytes));
    this.#requireNoDelimiter(content);
    const rest = bytes.subarray(content.length);
    const at = this.#receivedBytes + content.length - this.lengthBytes;
    this.#receivedBytes += bytes.length;
    if (rest.length > 0 && !rest.equals(this.#end.subarray(at, at + rest.length))) throw notLast();
    if (content.length > 0) this.#verifier.write(content);
  }

  end(): void {
    if (this.#receivedBytes !== this.lengthBytes + this.#end.length) throw notLast();
    this.#verifier.end();
    this.#encoder.end();
  }

  /** The file may end before it should, with further fields behind it. */
  #requireNoDelimiter(content: Buffer): void {
    const seam = Buffer.concat([this.#carry, content.subarray(0, this.#delimiter.length)]);
    if (seam.includes(this.#delimiter) || content.includes(this.#delimiter)) throw notLast();
    const kept = this.#delimiter.length - 1;
    this.#carry = Buffer.concat([this.#carry, content.subarray(-kept)]).subarray(-kept);
  }
}

function notLast() {
  return s3Error('MalformedPOSTRequest', { message: NOT_LAST_TEXT });
}
