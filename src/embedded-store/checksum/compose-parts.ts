import { createHash } from 'node:crypto';
import { type ChecksumAlgorithm, combinable, createDigest } from './checksum-algorithm.ts';
import { combineCrc } from './crc-combine.ts';

/** The size and checksums of a part. */
export interface ComposedPart {
  readonly sizeBytes: number;
  /** 32 hexadecimal digits. */
  readonly etag: string;
  /** Base64. */
  readonly checksum: string;
}

/** The entity tag of an object made of these parts: a digest of their tags, and their number. */
export function composeEtag(parts: readonly ComposedPart[]): string {
  const digest = createHash('md5');
  for (const part of parts) digest.update(Buffer.from(part.etag, 'hex'));
  return `${digest.digest('hex')}-${parts.length}`;
}

/**
 * The checksum of the parts' checksums, with their number; it is not a checksum of the bytes (docs/semantics.md 50).
 */
export function compositeChecksum(algorithm: ChecksumAlgorithm, parts: readonly ComposedPart[]): string {
  const digest = createDigest(algorithm);
  for (const part of parts) digest.update(Buffer.from(part.checksum, 'base64'));
  return `${digest.digest().toString('base64')}-${parts.length}`;
}

/**
 * The checksum of all bytes, computed from those of the parts; undefined for algorithms that cannot do that. `parts`
 * are in order and not empty.
 */
export function fullObjectChecksum(
  algorithm: ChecksumAlgorithm,
  parts: readonly ComposedPart[],
): string | undefined {
  const parameters = combinable[algorithm];
  const [first, ...others] = parts;
  if (!parameters || !first) return undefined;
  const decoded = (part: ComposedPart) => Buffer.from(part.checksum, 'base64');
  return others
    .reduce<Buffer>((sum, part) => combineCrc(parameters, sum, decoded(part), part.sizeBytes), decoded(first))
    .toString('base64');
}
