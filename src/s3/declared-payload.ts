import { parseContentLength } from '../http/content-length.ts';
import { type ChecksumAlgorithm, isChecksumAlgorithm, isChecksumValue } from './checksum.ts';
import type { ChunkSigning } from './chunk-signatures.ts';
import { bareName, type HeaderPrefix } from './dialect.ts';
import { s3Error } from './error.ts';
import { errorTexts } from './error-texts.ts';
import { formOfStream, type PayloadHash, readPayloadHash } from './payload-hash.ts';
import { UNSIGNED_PAYLOAD } from './sigv4-canonical.ts';
import { payloadHashInvalid } from './sigv4-errors.ts';
import type { SignedPayload } from './sigv4-payload.ts';

/** A checksum that a client declares, in a field before the body or in a trailer behind it. */
export type DeclaredChecksum =
  | { readonly kind: 'field'; readonly algorithm: ChecksumAlgorithm; readonly value: string }
  | { readonly kind: 'trailer'; readonly algorithm: ChecksumAlgorithm };

/** What a client says of the body that it is about to send. */
export interface DeclaredPayload {
  /** Length of the content, without the coding. */
  readonly lengthBytes: number;
  readonly coding: 'none' | 'aws-chunked';
  /** For chunks that are signed. */
  readonly signing: ChunkSigning | undefined;
  /** SHA-256 of the content in lower-case hex. */
  readonly sha256: string | undefined;
  /** MD5 of the content. */
  readonly md5: Buffer | undefined;
  readonly checksum: DeclaredChecksum | undefined;
}

/** The parts of a request's head that concern its body. */
interface PayloadFields {
  /** What the signature covers; undefined for a request without one. */
  readonly signed: SignedPayload | undefined;
  /** Store fields by name without prefix. */
  readonly store: ReadonlyMap<string, string>;
  readonly contentLength: string | undefined;
  readonly contentMd5: string | undefined;
  readonly prefix: HeaderPrefix;
}

const MD5_BYTES = 16;

/**
 * Reads what a request declares of its body.
 *
 * @throws S3Error MissingContentLength; InvalidArgument for a payload hash that is none, or a kind of stream that is not
 * known; InvalidDigest; InvalidRequest for a checksum that is malformed, of an unknown kind or another than stated, or not
 * the only one
 */
export function declaredPayload(fields: PayloadFields): DeclaredPayload {
  const { store, signed } = fields;
  const hash = signed ?? payloadHashOf(fields);
  const stream = hash.kind === 'stream' ? formOfStream(hash, fields.prefix) : undefined;
  const length = stream ? store.get('decoded-content-length') : fields.contentLength;
  const lengthBytes = parseContentLength(length);
  if (lengthBytes === undefined) throw s3Error('MissingContentLength');
  const checksum = declaredChecksum(store, fields.prefix);
  if (checksum?.kind === 'trailer' && !stream?.hasTrailer) throw invalidTrailer('the body has no trailers');
  return {
    lengthBytes,
    coding: stream ? 'aws-chunked' : 'none',
    signing: stream?.isSigned && signed?.kind === 'stream' ? signed.signing : undefined,
    sha256: hash.kind === 'hash' ? hash.sha256 : undefined,
    md5: declaredMd5(fields.contentMd5),
    checksum,
  };
}

/** The hash in a request without a signature, whose body is checked, too. */
function payloadHashOf({ store, prefix }: PayloadFields): PayloadHash {
  const hash = readPayloadHash(store.get('content-sha256') ?? UNSIGNED_PAYLOAD, prefix);
  // nothing could be checked of a signed one
  if (hash.kind === 'stream' && formOfStream(hash, prefix).isSigned)
    throw payloadHashInvalid(prefix, hash.name);
  return hash;
}

function declaredMd5(header: string | undefined): Buffer | undefined {
  if (header === undefined) return undefined;
  const md5 = Buffer.from(header, 'base64');
  if (md5.length === MD5_BYTES && md5.toString('base64') === header) return md5;
  throw s3Error('InvalidDigest', { fields: [['Content-MD5', header]] });
}

function declaredChecksum(
  store: ReadonlyMap<string, string>,
  prefix: HeaderPrefix,
): DeclaredChecksum | undefined {
  const fields = [...store].filter(([name]) => name.startsWith('checksum-') && !ofChecksums.has(name));
  const trailer = store.get('trailer');
  if (fields.length + Number(trailer !== undefined) > 1)
    throw s3Error('InvalidRequest', { message: errorTexts.severalChecksums });
  const checksum = trailer === undefined ? checksumIn(fields[0], prefix) : declaredTrailer(trailer);
  const stated = store.get('sdk-checksum-algorithm')?.toLowerCase() ?? '';
  if (checksum && isChecksumAlgorithm(stated) && stated !== checksum.algorithm)
    throw invalidValue(prefix, 'sdk-checksum-algorithm');
  return checksum;
}

function checksumIn(
  field: readonly [name: string, value: string] | undefined,
  prefix: HeaderPrefix,
): DeclaredChecksum | undefined {
  if (!field) return undefined;
  const [name, value] = field;
  const algorithm = name.slice('checksum-'.length);
  if (!isChecksumAlgorithm(algorithm))
    throw s3Error('InvalidRequest', { message: errorTexts.checksumUnknown });
  if (!isChecksumValue(algorithm, value)) throw invalidValue(prefix, name);
  return { kind: 'field', algorithm, value };
}

function invalidValue(prefix: HeaderPrefix, name: string) {
  return s3Error('InvalidRequest', { message: `Value for ${prefix}${name} header is invalid.` });
}

/** Fields that say something of a checksum, but have none. */
const ofChecksums: ReadonlySet<string> = new Set(['checksum-algorithm', 'checksum-mode', 'checksum-type']);

function declaredTrailer(trailer: string): DeclaredChecksum {
  const { name, prefix } = bareName(trailer.trim());
  const algorithm = name.replace(/^checksum-/, '');
  if (!prefix || algorithm === name || !isChecksumAlgorithm(algorithm))
    throw invalidTrailer('the trailer is not a known checksum');
  return { kind: 'trailer', algorithm };
}

function invalidTrailer(reason: string) {
  return s3Error('InvalidRequest', { message: errorTexts.trailerInvalid, reason });
}
