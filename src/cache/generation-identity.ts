import { lengthPrefixed } from '../base/length-prefixed.ts';
import type { HeaderField } from '../s3/dialect.ts';
import { hashText } from './object-key.ts';

/** What identifies an immutable content. */
export interface GenerationIdentity {
  /** `ObjectKey.text`. */
  readonly objectKey: string;
  readonly versionId: string | undefined;
  /** Strong entity tag, quotes included; undefined for a content that is never combined with another response. */
  readonly entityTag: string | undefined;
  readonly sizeBytes: number;
  /** Bytes of different encodings are never combined, even if a proxy before the store leaves the entity tag as it was. */
  readonly contentEncoding?: string | undefined;
}

/**
 * What a request for the bytes of a content names beside its key. All readers share those bytes, so whatever else one of them
 * says of itself, such as its `Origin`, is only in its own question.
 */
export interface AskedFor {
  readonly versionId: string | undefined;
  /** Who pays: at some stores nothing is read without (docs/semantics.md 125). */
  readonly requestPayer: string | undefined;
  /** At a web origin: the request fields that selected the answer; left out where there were none. */
  readonly selecting?: readonly HeaderField[] | undefined;
}

/** The same for the same content each time it is filled. */
export function identityHash({
  objectKey,
  versionId,
  entityTag,
  contentEncoding,
  sizeBytes,
}: GenerationIdentity): number {
  const validators = [versionId, entityTag, contentEncoding].map(lengthPrefixed);
  return hashText(objectKey + validators.join('') + sizeBytes);
}
