import { formatAccessPointArn, parseAccessPointArn, parseAccessPointHost } from './access-point.ts';
import { s3Error } from './error.ts';
import { percentDecode } from './percent-decode.ts';

/** What a request is about. */
export type Address =
  | { readonly kind: 'service'; readonly query: string }
  | { readonly kind: 'bucket'; readonly bucket: string; readonly query: string }
  | {
      readonly kind: 'object';
      /** A name, or the ARN of an access point. */
      readonly bucket: string;
      /** Decoded exactly once, and not changed otherwise. */
      readonly key: string;
      /** The key as it was sent. */
      readonly rawPath: string;
      /** As it was sent, without the question mark; here and above. */
      readonly query: string;
    };

/** The longest key that a store knows, in UTF-8. */
export const MAX_KEY_BYTES = 1024;

const absoluteForm = /^https?:\/\/([^/?]*)(.*)$/is;

/** Old names have capitals and underscores. Nothing that could end a path segment or a host label wrongly. */
const bucketName = /^[a-z\d][\w.-]{0,254}$/i;

/**
 * Finds out what a request addresses: `/<bucket>/<key>`, `<bucket>.<domain>/<key>`, or the host of an access point
 * (object-retrieval.md, Bucket; behaviours.md 217 to 233). Keys are opaque: `//`, `..` and `+` are kept.
 *
 * @param rawUrl the request target as received
 * @param host the Host header; case and port do not matter
 * @param domain in lower case; undefined when buckets are named in the path only
 * @throws S3Error InvalidURI, KeyTooLongError, InvalidBucketName
 */
export function parseAddress(rawUrl: string, host: string | undefined, domain: string | undefined): Address {
  if (!rawUrl.startsWith('/')) return parseOtherForm(rawUrl, domain);
  const mark = rawUrl.indexOf('?');
  const rawPath = mark < 0 ? rawUrl : rawUrl.slice(0, mark);
  const query = mark < 0 ? '' : rawUrl.slice(mark + 1);
  const inHost = host === undefined ? undefined : bucketOfHost(host, domain);
  if (inHost !== undefined) return addressIn(inHost, rawPath.slice(1), query);
  if (rawPath === '/') return { kind: 'service', query };
  const slash = rawPath.indexOf('/', 1);
  if (slash < 0) return addressIn(checkedBucket(percentDecode(rawPath.slice(1))), '', query);
  return addressIn(checkedBucket(percentDecode(rawPath.slice(1, slash))), rawPath.slice(slash + 1), query);
}

/**
 * A key as it stands in the path of a request to a store: UTF-8, escaped byte by byte except for unreserved
 * characters and `/` (RFC 3986 §2.3).
 */
export function encodeKey(key: string): string {
  if (/^[\w\-.~/]*$/.test(key)) return key;
  return encodeURIComponent(key.toWellFormed())
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** RFC 9112 §3.2.2 (a URL, whose host counts) and §3.2.4 (`*`, the service as a whole). */
function parseOtherForm(target: string, domain: string | undefined): Address {
  if (target === '*') return { kind: 'service', query: '' };
  const match = absoluteForm.exec(target);
  const [, host, rest = ''] = match ?? [];
  // RFC 9110 §4.2.1
  if (!host) throw s3Error('InvalidURI');
  return parseAddress(rest.startsWith('/') ? rest : `/${rest}`, host, domain);
}

function addressIn(bucket: string, rawPath: string, query: string): Address {
  return rawPath === ''
    ? { kind: 'bucket', bucket, query }
    : { kind: 'object', bucket, key: checkedKey(percentDecode(rawPath)), rawPath, query };
}

/** The bucket that a Host header names; undefined when it names none (behaviours.md 229 to 232). */
function bucketOfHost(header: string, domain: string | undefined): string | undefined {
  const named = header.toLowerCase();
  if (domain === undefined && !named.includes('.s3-')) return undefined;
  const host = named.replace(/\.?(?::\d*)?$/, '');
  const point = parseAccessPointHost(host);
  if (point) return formatAccessPointArn(point);
  if (domain === undefined || !host.endsWith(domain)) return undefined;
  const dot = host.length - domain.length - 1;
  return host[dot] === '.' ? checkedBucket(host.slice(0, dot)) : undefined;
}

function checkedBucket(bucket: string): string {
  if (bucketName.test(bucket) || parseAccessPointArn(bucket)) return bucket;
  throw s3Error('InvalidBucketName', { fields: [['BucketName', bucket]] });
}

/** Whether `key` is longer than any key that a store knows; nothing is looked up, hashed or kept under such a one. */
export function isKeyTooLong(key: string): boolean {
  // no character takes more than three bytes for each of its UTF-16 units, and none takes less than one
  if (key.length * 3 <= MAX_KEY_BYTES) return false;
  return key.length > MAX_KEY_BYTES || Buffer.byteLength(key) > MAX_KEY_BYTES;
}

function checkedKey(key: string): string {
  if (!isKeyTooLong(key)) return key;
  const fields = [
    ['Size', String(Buffer.byteLength(key))],
    ['MaxSizeAllowed', String(MAX_KEY_BYTES)],
  ] as const;
  throw s3Error('KeyTooLongError', { fields });
}
