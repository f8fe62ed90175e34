import {
  formatAccessPointArn,
  mayBeOwnLabels,
  parseAccessPointArn,
  parseAccessPointHost,
} from './access-point.ts';
import { type S3Error, s3Error } from './error.ts';
import { percentDecode } from './percent-decode.ts';

/** What a request addresses. */
export type Address =
  | { readonly kind: 'service'; readonly query: string }
  | ({ readonly kind: 'bucket'; readonly bucket: string; readonly query: string } & FromHost)
  | ({
      readonly kind: 'object';
      /** A bucket name or the ARN of an access point. */
      readonly bucket: string;
      /** Percent-decoded exactly once, otherwise unchanged. */
      readonly key: string;
      /** The key as sent. */
      readonly rawPath: string;
      /** As sent, without the question mark; the same below and above. */
      readonly query: string;
    } & FromHost);

interface FromHost {
  /** The bucket is from the host, and may be an access point without its kind and region, see `ownLabels`. */
  readonly mayBePoint?: true;
}

/** The longest key that stores accept, in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1024;

const absoluteForm = /^https?:\/\/([^/?]*)(.*)$/is;

/**
 * Old names may contain capitals and underscores. Characters that could end a path segment or a host label are not
 * allowed.
 */
const bucketName = /^[a-z\d][\w.-]{0,254}$/i;

/**
 * Parses what a request addresses: `/<bucket>/<key>`, `<bucket>.<domain>/<key>`, or the host of an access point
 * (docs/semantics.md, Bucket; docs/semantics.md 217 to 233). Keys are opaque: `//`, `..` and `+` are kept.
 *
 * @param rawUrl the request target as received
 * @param host the Host header; its case and port are ignored
 * @param domain in lower case; undefined when buckets are addressed in the path only
 * @throws S3Error InvalidURI, KeyTooLongError, InvalidBucketName
 */
export function parseAddress(rawUrl: string, host: string | undefined, domain: string | undefined): Address {
  if (!rawUrl.startsWith('/')) return parseOtherForm(rawUrl, domain);
  const mark = rawUrl.indexOf('?');
  const rawPath = mark < 0 ? rawUrl : rawUrl.slice(0, mark);
  const query = mark < 0 ? '' : rawUrl.slice(mark + 1);
  const inHost = host === undefined ? undefined : bucketOfHost(host, domain);
  if (inHost !== undefined) {
    const address = addressIn(inHost, rawPath.slice(1), query);
    return mayBeOwnLabels(inHost) ? { ...address, mayBePoint: true } : address;
  }
  if (rawPath === '/') return { kind: 'service', query };
  const slash = rawPath.indexOf('/', 1);
  if (slash < 0) return addressIn(checkedBucket(percentDecode(rawPath.slice(1))), '', query);
  return addressIn(checkedBucket(percentDecode(rawPath.slice(1, slash))), rawPath.slice(slash + 1), query);
}

/**
 * What `parseAddress` gives without the key, for requests whose key is refused.
 *
 * @throws S3Error InvalidURI, InvalidBucketName
 */
export function parseBucketAddress(
  rawUrl: string,
  host: string | undefined,
  domain: string | undefined,
): Address {
  const [, origin = '', segment = '/'] = /^(https?:\/\/[^/?]*)?(\/[^/?]*)?/i.exec(rawUrl) ?? [];
  const inHost = parseAddress(`${origin}/`, host, domain);
  return inHost.kind === 'service' ? parseAddress(origin + segment, host, domain) : inHost;
}

/**
 * Encodes a key for the path of a store request: every byte of UTF-8 is escaped except unreserved characters and `/`
 * (RFC 3986 §2.3).
 */
export function encodeKey(key: string): string {
  if (/^[\w\-.~/]*$/.test(key)) return key;
  return encodeURIComponent(key.toWellFormed())
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** RFC 9112 §3.2.2 (absolute form, whose host takes precedence) and §3.2.4 (`*`, the service as a whole). */
function parseOtherForm(target: string, domain: string | undefined): Address {
  if (target === '*') return { kind: 'service', query: '' };
  const match = absoluteForm.exec(target);
  const [, host, rest = ''] = match ?? [];
  // RFC 9110 §4.2.1
  if (!host) throw s3Error('InvalidURI');
  return parseAddress(rest.startsWith('/') ? rest : `/${rest}`, host, domain);
}

function addressIn(bucket: string, rawPath: string, query: string): Exclude<Address, { kind: 'service' }> {
  return rawPath === ''
    ? { kind: 'bucket', bucket, query }
    : { kind: 'object', bucket, key: checkedKey(percentDecode(rawPath)), rawPath, query };
}

/** The bucket in a Host header; undefined when there is none (docs/semantics.md 229 to 232). */
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

/** Whether `key` exceeds the limit of all stores; such a key is never looked up, hashed or cached. */
export function isKeyTooLong(key: string): boolean {
  // a UTF-16 code unit takes one to three bytes in UTF-8
  if (key.length * 3 <= MAX_KEY_BYTES) return false;
  return key.length > MAX_KEY_BYTES || Buffer.byteLength(key) > MAX_KEY_BYTES;
}

function checkedKey(key: string): string {
  if (!isKeyTooLong(key)) return key;
  throw keyTooLong(Buffer.byteLength(key));
}

/** The error for a key of `lengthBytes`. */
export function keyTooLong(lengthBytes: number): S3Error {
  const fields = [
    ['Size', String(lengthBytes)],
    ['MaxSizeAllowed', String(MAX_KEY_BYTES)],
  ] as const;
  return s3Error('KeyTooLongError', { fields });
}
