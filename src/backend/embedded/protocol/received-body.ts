import {
  type ChecksumAlgorithm,
  createDigest,
  DEFAULT_CHECKSUM,
  type Digest,
} from '../checksum/checksum-algorithm.ts';
import type { StoredChecksum } from '../disk/object-attributes.ts';
import { type ChunkSignatures, decodeAwsChunked } from './aws-chunked.ts';
import { type ClaimedChecksum, claimedChecksum, readClaim } from './claimed-checksum.ts';
import { StoreError } from './store-error.ts';
import type { StoreRequest } from './store-request.ts';

/** The largest body of one request. */
const MAX_BODY_BYTES = 5 * 1024 ** 3;

/** What was learned of a body once all of it was read. */
export interface BodyFacts {
  readonly md5Hex: string;
  readonly checksum: StoredChecksum;
}

/** The content that a request brings, checked against everything the request says of it. */
export interface ReceivedBody {
  readonly source: AsyncIterable<Uint8Array>;
  /** To be shown all bytes of the source. */
  readonly digests: readonly Digest[];
  /** To be called when the source has ended; throws what does not fit (BadDigest, IncompleteBody, …). */
  readonly accept: (sizeBytes: number) => void;
  /** To be called after `accept`. */
  readonly facts: () => BodyFacts;
}

/**
 * Prepares reading a body. `algorithm` is the checksum that the content will be stored with, where that was decided
 * before (parts); by default the one the client sends, or CRC64NVME (behaviours.md 182).
 */
export function receiveBody(
  request: StoreRequest,
  signatures: ChunkSignatures | undefined,
  algorithm?: ChecksumAlgorithm,
): ReceivedBody {
  const claim = claimedChecksum(request);
  const payload = request.prefixed('content-sha256') ?? 'UNSIGNED-PAYLOAD';
  const kept = algorithm ?? claim?.algorithm ?? DEFAULT_CHECKSUM;
  const md5 = recorded('MD5');
  const checksum = recorded(kept);
  const claimed = claim === undefined || claim.algorithm === kept ? checksum : recorded(claim.algorithm);
  const sha256 = /^[0-9a-f]{64}$/.test(payload) ? recorded('SHA256') : undefined;
  const trailers = new Map<string, string>();
  const expectedMd5 = parseContentMd5(request);
  const expectedBytes = expectedLength(request);
  return {
    source: payload.startsWith('STREAMING-')
      ? decodeAwsChunked(request.message, {
          signatures,
          onTrailer: (name, value) => trailers.set(name, value),
        })
      : request.message,
    digests: [...new Set([md5, checksum, claimed, ...(sha256 ? [sha256] : [])])],
    accept: sizeBytes => {
      if (expectedBytes !== undefined && sizeBytes !== expectedBytes) throw new StoreError('IncompleteBody');
      if (expectedMd5 && !expectedMd5.equals(md5.value())) throw new StoreError('BadDigest');
      if (sha256 && sha256.value().toString('hex') !== payload) {
        throw new StoreError('XAmzContentSHA256Mismatch', {
          fields: {
            ClientComputedContentSHA256: payload,
            S3ComputedContentSHA256: sha256.value().toString('hex'),
          },
        });
      }
      if (claim) demandClaim(claim, trailers, claimed.value().toString('base64'));
    },
    facts: () => ({
      md5Hex: md5.value().toString('hex'),
      checksum: { algorithm: kept, type: 'FULL_OBJECT', value: checksum.value().toString('base64') },
    }),
  };
}

/** A digest whose value can be asked for more than once. */
function recorded(algorithm: ChecksumAlgorithm | 'MD5'): Digest & { value(): Buffer } {
  const digest = createDigest(algorithm);
  let result: Buffer | undefined;
  const value = () => {
    result ??= digest.digest();
    return result;
  };
  return { update: bytes => digest.update(bytes), digest: value, value };
}

function demandClaim(claim: ClaimedChecksum, trailers: ReadonlyMap<string, string>, actual: string): void {
  if (readClaim(claim, trailers) === actual) return;
  throw new StoreError('BadDigest', {
    message: `The ${claim.algorithm} you specified did not match the calculated checksum.`,
  });
}

function parseContentMd5(request: StoreRequest): Buffer | undefined {
  const header = request.header('content-md5');
  if (header === undefined) return undefined;
  const md5 = Buffer.from(header, 'base64');
  if (md5.length !== 16) throw new StoreError('InvalidDigest', { fields: { 'Content-MD5': header } });
  return md5;
}

/** The length of the content, when the request tells it. Throws MissingContentLength and EntityTooLarge. */
function expectedLength(request: StoreRequest): number | undefined {
  const declared = request.prefixed('decoded-content-length') ?? request.header('content-length');
  if (declared === undefined) {
    if (request.header('transfer-encoding') === undefined) throw new StoreError('MissingContentLength');
    return undefined;
  }
  const length = /^\d+$/.test(declared) ? Number(declared) : Number.NaN;
  if (Number.isNaN(length)) throw new StoreError('MissingContentLength');
  if (length > MAX_BODY_BYTES) {
    throw new StoreError('EntityTooLarge', {
      fields: { ProposedSize: length, MaxSizeAllowed: MAX_BODY_BYTES },
    });
  }
  return length;
}
