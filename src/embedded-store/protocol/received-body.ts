import {
  type ChecksumAlgorithm,
  createDigest,
  DEFAULT_CHECKSUM,
  type Digest,
} from '../checksum/checksum-algorithm.ts';
import type { StoredChecksum } from '../disk/object-attributes.ts';
import { type ChunkSignatures, decodeAwsChunked } from './aws-chunked.ts';
import { type ClaimedChecksum, claimedChecksum, resolveClaim } from './claimed-checksum.ts';
import { OperationError } from './operation-error.ts';
import type { OperationRequest } from './operation-request.ts';

/** The largest body of one request. */
const MAX_BODY_BYTES = 5 * 1024 ** 3;

/** The source of a body. */
export interface BodySource {
  readonly request: OperationRequest;
  /** Verifies signed chunks; undefined if they are not signed. */
  readonly signatures?: ChunkSignatures | undefined;
}

/** What is known of a body after it has been read completely. */
interface BodyFacts {
  readonly md5Hex: string;
  readonly checksum: StoredChecksum;
}

/** The content of a request, verified against all checksums and lengths in the request. */
export class ReceivedBody {
  readonly source: AsyncIterable<Uint8Array>;
  /** Must receive all bytes of the source. */
  readonly digests: readonly Digest[];
  readonly #claim: ClaimedChecksum | undefined;
  readonly #kept: ChecksumAlgorithm;
  readonly #md5 = recorded('MD5');
  readonly #checksum: Digest;
  readonly #claimed: Digest;
  readonly #payload: SignedHash | undefined;
  readonly #trailers = new Map<string, string>();
  readonly #expectedMd5: Buffer | undefined;
  readonly #expectedBytes: number | undefined;

  /**
   * `algorithm` is the checksum to store with the content, if it was already decided (for parts); the default is the
   * client's, or else CRC64NVME (docs/semantics.md 182).
   *
   * @throws errors that depend on the request only
   */
  constructor({ request, signatures }: BodySource, algorithm?: ChecksumAlgorithm) {
    this.#claim = claimedChecksum(request);
    this.#kept = algorithm ?? this.#claim?.algorithm ?? DEFAULT_CHECKSUM;
    this.#checksum = recorded(this.#kept);
    const isKept = this.#claim === undefined || this.#claim.algorithm === this.#kept;
    this.#claimed = isKept ? this.#checksum : recorded(this.#claim.algorithm);
    this.#payload = signedHash(request);
    this.#expectedMd5 = parseContentMd5(request);
    this.#expectedBytes = expectedLength(request);
    this.source = this.#sourceOf(request, signatures);
    const all = [this.#md5, this.#checksum, this.#claimed, this.#payload?.digest];
    this.digests = [...new Set(all.filter(digest => digest !== undefined))];
  }

  /** Call this when the source has ended. @throws BadDigest, IncompleteBody, … for a mismatch */
  accept(sizeBytes: number): void {
    if (this.#expectedBytes !== undefined && sizeBytes !== this.#expectedBytes) {
      throw new OperationError('IncompleteBody');
    }
    if (this.#expectedMd5 && !this.#expectedMd5.equals(this.#md5.digest()))
      throw new OperationError('BadDigest');
    if (this.#payload) demandSignedHash(this.#payload);
    if (this.#claim) demandClaim(this.#claim, this.#trailers, this.#claimed.digest().toString('base64'));
  }

  /** Call this after `accept`. */
  facts(): BodyFacts {
    const value = this.#checksum.digest().toString('base64');
    return {
      md5Hex: this.#md5.digest().toString('hex'),
      checksum: { algorithm: this.#kept, type: 'FULL_OBJECT', value },
    };
  }

  #sourceOf(request: OperationRequest, signatures: ChunkSignatures | undefined): AsyncIterable<Uint8Array> {
    if (!request.prefixed('content-sha256')?.startsWith('STREAMING-')) return request.message;
    const onTrailer = (name: string, value: string) => void this.#trailers.set(name, value);
    return decodeAwsChunked(request.message, { signatures, onTrailer });
  }
}

/** The body hash that the signature covers. */
interface SignedHash {
  readonly expected: string;
  readonly digest: Digest;
}

/** A digest whose value can be read repeatedly. */
function recorded(algorithm: ChecksumAlgorithm | 'MD5'): Digest {
  const digest = createDigest(algorithm);
  let value: Buffer | undefined;
  return {
    update: bytes => digest.update(bytes),
    digest: () => {
      value ??= digest.digest();
      return value;
    },
  };
}

function signedHash(request: OperationRequest): SignedHash | undefined {
  const expected = request.prefixed('content-sha256');
  if (expected === undefined || !/^[0-9a-f]{64}$/.test(expected)) return undefined;
  return { expected, digest: recorded('SHA256') };
}

function demandSignedHash({ expected, digest }: SignedHash): void {
  const actual = digest.digest().toString('hex');
  if (actual === expected) return;
  throw new OperationError('XAmzContentSHA256Mismatch', {
    fields: { ClientComputedContentSHA256: expected, S3ComputedContentSHA256: actual },
  });
}

function demandClaim(claim: ClaimedChecksum, trailers: ReadonlyMap<string, string>, actual: string): void {
  if (resolveClaim(claim, trailers) === actual) return;
  throw new OperationError('BadDigest', {
    message: `The ${claim.algorithm} you specified did not match the calculated checksum.`,
  });
}

function parseContentMd5(request: OperationRequest): Buffer | undefined {
  const header = request.header('content-md5');
  if (header === undefined) return undefined;
  const md5 = Buffer.from(header, 'base64');
  if (md5.length !== 16) throw new OperationError('InvalidDigest', { fields: { 'Content-MD5': header } });
  return md5;
}

/** The length of the content, if the request states it. @throws MissingContentLength and EntityTooLarge */
function expectedLength(request: OperationRequest): number | undefined {
  const declared = request.prefixed('decoded-content-length') ?? request.header('content-length');
  if (declared === undefined) {
    if (request.header('transfer-encoding') === undefined) throw new OperationError('MissingContentLength');
    return undefined;
  }
  const length = /^\d+$/.test(declared) ? Number(declared) : Number.NaN;
  if (Number.isNaN(length)) throw new OperationError('MissingContentLength');
  if (length > MAX_BODY_BYTES) {
    throw new OperationError('EntityTooLarge', {
      fields: { ProposedSize: length, MaxSizeAllowed: MAX_BODY_BYTES },
    });
  }
  return length;
}
