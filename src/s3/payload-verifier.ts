import { createHash, type Hash } from 'node:crypto';
import { AwsChunkedDecoder } from './aws-chunked.ts';
import { type Checksum, createChecksum, isChecksumValue } from './checksum.ts';
import { ChunkSignatures } from './chunk-signatures.ts';
import type { DeclaredChecksum, DeclaredPayload } from './declared-payload.ts';
import type { HeaderPrefix } from './dialect.ts';
import { S3Error, s3Error } from './error.ts';
import { errorTexts } from './error-texts.ts';
import { payloadHashMismatch } from './sigv4-errors.ts';

/** Verifies a body as it arrives against what its request declares, and passes its content on. */
export class PayloadVerifier {
  readonly #declared: DeclaredPayload;
  readonly #prefix: HeaderPrefix;
  readonly #pass: (content: Buffer) => void;
  readonly #decoder: AwsChunkedDecoder | undefined;
  readonly #sha256: Hash | undefined;
  readonly #md5: Hash | undefined;
  readonly #checksum: Checksum | undefined;
  #contentBytes = 0;

  /**
   * @param prefix of the client's dialect, for errors
   * @param pass receives the content as it arrives, before it is verified as a whole
   */
  constructor(declared: DeclaredPayload, prefix: HeaderPrefix, pass: (content: Buffer) => void) {
    this.#declared = declared;
    this.#prefix = prefix;
    this.#pass = pass;
    const { coding, signing, sha256, md5, checksum } = declared;
    if (coding === 'aws-chunked') {
      const signatures = signing && new ChunkSignatures(signing);
      const trailer = checksum?.kind === 'trailer' ? `checksum-${checksum.algorithm}` : undefined;
      this.#decoder = new AwsChunkedDecoder(signatures, trailer, content => this.#take(content));
    }
    this.#sha256 = sha256 === undefined ? undefined : createHash('sha256');
    this.#md5 = md5 && createHash('md5');
    this.#checksum = checksum && createChecksum(checksum.algorithm);
  }

  /** @throws S3Error for a body that is malformed, wrongly signed or too long */
  write(bytes: Buffer): void {
    try {
      if (this.#decoder) this.#decoder.write(bytes);
      else this.#take(bytes);
    } catch (error) {
      // a chunk that is longer than its size seems to be content: that is told before the length, all else after it
      if (!this.#isTooLong || (error instanceof S3Error && error.code === 'IncompleteBody')) throw error;
    }
    if (this.#isTooLong) throw wrongLength('the body is longer than declared');
  }

  get #isTooLong(): boolean {
    return this.#contentBytes > this.#declared.lengthBytes;
  }

  /**
   * The body has ended.
   *
   * @returns the value of the checksum in its trailer, if that was declared
   * @throws S3Error unless the body is what the request declares
   */
  end(): string | undefined {
    const { lengthBytes, sha256, md5, checksum } = this.#declared;
    this.#decoder?.end();
    if (this.#contentBytes !== lengthBytes) throw wrongLength('the body is short');
    if (sha256 !== undefined) this.#checkSha256(sha256, this.#sha256?.digest('hex') ?? '');
    if (md5) checkMd5(md5, this.#md5?.digest());
    return this.#checkChecksum(checksum);
  }

  #take(content: Buffer): void {
    this.#contentBytes += content.length;
    if (this.#isTooLong) return;
    this.#sha256?.update(content);
    this.#md5?.update(content);
    this.#checksum?.update(content);
    this.#pass(content);
  }

  #checkSha256(declared: string, computed: string): void {
    if (computed !== declared) throw payloadHashMismatch(this.#prefix, declared, computed);
  }

  #checkChecksum(checksum: DeclaredChecksum | undefined): string | undefined {
    if (!checksum) return undefined;
    const { algorithm } = checksum;
    const declared =
      checksum.kind === 'field' ? checksum.value : this.#decoder?.trailers.get(`checksum-${algorithm}`);
    if (declared === undefined) throw s3Error('MalformedTrailerError');
    if (!isChecksumValue(algorithm, declared))
      throw s3Error('InvalidRequest', {
        message: `Value for ${this.#prefix}checksum-${algorithm} trailing header is invalid.`,
      });
    const computed = this.#checksum?.digest().toString('base64');
    if (computed !== declared)
      throw s3Error('BadDigest', {
        message: `The ${algorithm.toUpperCase()} you specified did not match the calculated checksum.`,
      });
    return checksum.kind === 'trailer' ? declared : undefined;
  }
}

function checkMd5(declared: Buffer, computed: Buffer | undefined): void {
  if (computed?.equals(declared)) return;
  throw s3Error('BadDigest', {
    fields: [
      ['ExpectedDigest', declared.toString('hex')],
      ['CalculatedDigest', computed?.toString('base64') ?? ''],
    ],
  });
}

function wrongLength(reason: string) {
  return s3Error('IncompleteBody', { message: errorTexts.lengthWrong, reason });
}
