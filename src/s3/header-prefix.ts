/** How the store's own headers begin: in Amazon S3 and its relatives, and in the specification. */
export type HeaderPrefix = 'x-amz-' | 'x-store-';

/** How the parameters of a presigned URL begin under a prefix. */
export function parameterPrefix(prefix: HeaderPrefix): 'X-Amz-' | 'X-Store-' {
  return prefix === 'x-amz-' ? 'X-Amz-' : 'X-Store-';
}
