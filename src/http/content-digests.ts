/**
 * Fields with a digest of the bytes that one message carries (RFC 9530 §2; RFC 1864). Repr-Digest and Digest are of the whole
 * content, whichever part of it a message carries (RFC 9530 §3), and no business of a cache.
 */
export const contentDigests: ReadonlySet<string> = new Set(['content-digest', 'content-md5']);
