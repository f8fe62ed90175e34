import type { HeaderField } from '../../s3/dialect.ts';
import type { RememberedError } from '../../s3/error-body.ts';
import { errorCodes } from '../../s3/error-codes.ts';
import { type Bucket, isRenamed } from '../request/bucket.ts';

/**
 * A store's error in the names that clients use: keys without what stands before them at the store, and the bucket as
 * clients call it. Of a bucket that has another name there, what else names it is left out, and so is the endpoint, at
 * which there is no bucket of the client's name; a message that names it gives way to the usual one.
 */
export function inClientNames({ code, message, fields }: RememberedError, bucket: Bucket): RememberedError {
  if (!isRenamed(bucket)) return { code, message, fields };
  const { name, bucketAtStore, keyPrefix } = bucket;
  const told = fields.flatMap(([element, value]): [string, string][] => {
    if (element === 'Key')
      return value.startsWith(keyPrefix) ? [[element, value.slice(keyPrefix.length)]] : [];
    const namesBucket = element === 'BucketName' || element === 'Bucket';
    if (namesBucket && value === bucketAtStore) return [[element, name]];
    return element === 'Endpoint' || isOfStore(value, bucket) ? [] : [[element, value]];
  });
  return { code, message: isOfStore(message, bucket) ? usualMessage(code) : message, fields: told };
}

/** Fields of a refusal as the client sees them: where a bucket has another name, a redirect leads to the store's. */
export function fieldsInClientNames(fields: readonly HeaderField[], bucket: Bucket): readonly HeaderField[] {
  if (!isRenamed(bucket)) return fields;
  return fields.filter(({ name, store }) => store || name !== 'location');
}

/** Whether a text names the bucket, or what stands before its keys, as only the store does. */
function isOfStore(text: string, { name, bucketAtStore, keyPrefix }: Bucket): boolean {
  if (name !== bucketAtStore && wordsOf(text).includes(bucketAtStore)) return true;
  return keyPrefix !== '' && (text.includes(keyPrefix) || text.includes(encodeURIComponent(keyPrefix)));
}

/** The parts of a text that may be a bucket's name, with the dots in them and without: a host name begins with one. */
function wordsOf(text: string): readonly string[] {
  const dotted = text.match(/[\w.-]+/g) ?? [];
  return dotted.flatMap(word => beginningsOf(word.replace(/\.+$/, '')));
}

/** `a.b.c`, `a.b`, `a`. */
function beginningsOf(word: string): readonly string[] {
  const labels = word.split('.');
  return labels.map((_, index) => labels.slice(0, index + 1).join('.'));
}

function usualMessage(code: string): string {
  const known = Object.entries(errorCodes).find(([name]) => name === code);
  return known?.[1].message ?? `The store refused the request (${code}).`;
}
