/** A content coding in which contents are made (RFC 9110 §8.4.1, RFC 7932, RFC 8878). */
export type ContentCoding = 'br' | 'gzip' | 'zstd';

/**
 * The entity tag of a content in `coding`, made from that of the content as it is: weak where that is weak. The suffix is
 * not the one that web servers use: what they make in the same coding are other bytes.
 */
export function codedTag(entityTag: string, coding: ContentCoding): string {
  const suffix = `-tidegate-${coding}`;
  return entityTag.endsWith('"') ? `${entityTag.slice(0, -1)}${suffix}"` : `${entityTag}${suffix}`;
}

const madeSuffix = /-tidegate-(?:br|gzip|zstd)(?="?\s*(?:,|$))/g;

/** A list of entity tags, in which those that `codedTag` has made are the ones that they were made of. */
export function uncodedTags(entityTags: string): string {
  return entityTags.replace(madeSuffix, '');
}

/** The list, and behind it what `uncodedTags` makes of it where that differs: an origin's own tag may end so, too. */
export function withUncodedTags(entityTags: string): string {
  const uncoded = uncodedTags(entityTags);
  return uncoded === entityTags ? entityTags : `${entityTags}, ${uncoded}`;
}

/** The value of Vary for an answer that depends on Accept-Encoding as well (RFC 9110 §12.5.5). */
export function varyByEncoding(vary: string | undefined): string {
  if (vary === undefined || vary.trim() === '') return 'Accept-Encoding';
  const names = vary.split(',').map(name => name.trim().toLowerCase());
  return names.includes('*') || names.includes('accept-encoding') ? vary : `${vary}, Accept-Encoding`;
}
