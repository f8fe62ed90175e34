import type { HeaderField } from '../../s3/dialect.ts';
import type { RememberedError } from '../../s3/error-body.ts';
import { usualMessage } from '../../s3/error-codes.ts';
import { type Bucket, isRenamed } from '../request/bucket.ts';

/**
 * Translates a store's error to the names that clients use: keys without the bucket's prefix, and the client's bucket
 * name. For a renamed bucket, other fields that contain the store's name are removed, and so is the endpoint, which has
 * no bucket of the client's name. A message that contains the store's name is replaced by the standard one.
 */
export function inClientNames({ code, message, fields }: RememberedError, bucket: Bucket): RememberedError {
  if (!isRenamed(bucket)) return { code, message, fields };
  // a hostile store may put names where none belong
  if (namesAtStore(code, bucket))
    return { code: 'InternalError', message: usualMessage('InternalError'), fields: [] };
  const { name, bucketAtStore, keyPrefix } = bucket;
  const told = fields.flatMap(([element, value]): [string, string][] => {
    if (element === 'Key')
      return value.startsWith(keyPrefix) ? [[element, value.slice(keyPrefix.length)]] : [];
    const isBucket = element === 'BucketName' || element === 'Bucket';
    if (isBucket && value === bucketAtStore) return [[element, name]];
    return element === 'Endpoint' || namesAtStore(element, bucket) || isOfStore(value, bucket)
      ? []
      : [[element, value]];
  });
  return { code, message: isOfStore(message, bucket) ? usualMessage(code) : message, fields: told };
}

/** Fields that say where something is, in the store's names. */
const addresses: ReadonlySet<string> = new Set(['content-location', 'link', 'location']);

/** The same of store fields. `error-…` of website endpoints tell what an error body tells elsewhere. */
const storeAddresses = /^(?:access-point-arn|bucket-arn|bucket-location-name|error-(?:message|detail-.*))$/;

/** Whether a header field of the store names the bucket or the key as the store does. */
export function isStoreName({ name, store }: HeaderField): boolean {
  return store ? storeAddresses.test(name) : addresses.has(name);
}

/** Whether a header field of the store is for clients: of a renamed bucket, none that names it. */
function isForClients(field: HeaderField, bucket: Bucket): boolean {
  return !isRenamed(bucket) || !isStoreName(field);
}

/** The same of an answer that is passed on; an address is one at the store, and is for no client, whatever the bucket is called. */
export function mayBePassed(field: HeaderField, bucket: Bucket): boolean {
  return field.store ? isForClients(field, bucket) : !addresses.has(field.name);
}

/** The header fields of a refusal for the client. */
export function fieldsInClientNames(fields: readonly HeaderField[], bucket: Bucket): readonly HeaderField[] {
  return fields.filter(field => isForClients(field, bucket));
}

/** Whether a text contains the store's bucket name or the key prefix. */
function isOfStore(text: string, bucket: Bucket): boolean {
  const { keyPrefix } = bucket;
  if (namesAtStore(text, bucket)) return true;
  return keyPrefix !== '' && (text.includes(keyPrefix) || text.includes(encodeURIComponent(keyPrefix)));
}

/** The same of what is one word, such as a code: a short prefix is in many. */
function namesAtStore(text: string, { name, bucketAtStore }: Bucket): boolean {
  return name !== bucketAtStore && namesBucket(text, bucketAtStore);
}

const partOfName = /[\w.-]/;
const partOfLabel = /[\w-]/;

/**
 * Whether `bucket` is a word of `text`, or begins a host name in it. The text may be what a client or a hostile store has
 * sent: the work is bounded by its length.
 */
function namesBucket(text: string, bucket: string): boolean {
  for (let at = text.indexOf(bucket); at !== -1; at = text.indexOf(bucket, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + bucket.length)];
    if (!partOfName.test(before) && !partOfLabel.test(after)) return true;
  }
  return false;
}
