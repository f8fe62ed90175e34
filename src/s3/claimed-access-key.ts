/** A credential, in an Authorization header or as a parameter of a presigned URL, with its scope. */
const inHeader = /\bCredential=([^/,\s]{1,128})\/\d{8}\/[^/,\s]+\/[^/,\s]+\/aws4_request\b/;
const inQuery = /[?&]x-(?:amz|store)-credential=([^/%&]{1,128})(?:\/|%2f)\d{8}(?:\/|%2f)/i;

/** Characters of ids that stores give out, which may be names. */
const id = /^[\w.@+=-]+$/;

/**
 * The access key id that a signed request claims, for the log; undefined where there is none, and where a secret may
 * have been put in its place: those of Amazon have 40 characters of mixed case (docs/architecture.md, law 7).
 */
export function claimedAccessKey(authorization: string | undefined, url: string): string | undefined {
  const key = inHeader.exec(authorization ?? '')?.[1] ?? inQuery.exec(url)?.[1];
  if (key === undefined || !id.test(key)) return undefined;
  const isLikeSecret = key.length >= 40 && /[a-z]/.test(key) && /[A-Z]/.test(key);
  return isLikeSecret ? undefined : key;
}
