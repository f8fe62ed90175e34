import type { IncomingMessage } from 'node:http';
import { parseAccessPointArn } from '../../s3/access-point.ts';
import { type Address, parseAddress, parseBucketAddress } from '../../s3/address.ts';
import { isAdministrationKey, isBucketName } from '../../s3/bucket-name.ts';
import { claimedAccessKey } from '../../s3/claimed-access-key.ts';
import { detectDialect, type HeaderPrefix } from '../../s3/dialect.ts';
import { S3Error, s3Error } from '../../s3/error.ts';
import { requirePlain } from '../../s3/path-key.ts';
import type { RequestFields } from '../../s3/request-fields.ts';
import { clientAddressOf } from '../../transport/peer.ts';
import type { Caller } from './access.ts';
import type { Authenticate } from './authenticator.ts';
import type { Bucket } from './bucket.ts';
import type { BucketTable, SignedScope } from './bucket-table.ts';
import type { Exchange } from './exchange.ts';

/** What a request is located with. */
export interface LocateParts {
  /** Domain for virtual-hosted addressing; without it only path addressing is possible. */
  readonly domain: string | undefined;
  readonly buckets: BucketTable;
  readonly authenticate: Authenticate;
}

interface FromCaller {
  readonly request: IncomingMessage;
  readonly exchange: Exchange;
  readonly fields: RequestFields;
  readonly caller: Caller;
}

/** A request for a configured bucket. */
export interface Located extends FromCaller {
  readonly address: Exclude<Address, { kind: 'service' }>;
  readonly bucket: Bucket;
}

/** A request to the service itself. */
export interface LocatedService extends FromCaller {
  readonly address: Extract<Address, { kind: 'service' }>;
  readonly bucket: undefined;
}

/**
 * Finds the bucket that a request addresses, if it addresses one, and its caller.
 *
 * @throws S3Error when the address or the signature is invalid, or the bucket is not configured or at a web origin
 */
export function locate(
  request: IncomingMessage,
  exchange: Exchange,
  fields: RequestFields,
  parts: LocateParts,
): Located | LocatedService {
  const { buckets, authenticate } = parts;
  const spoken = dialectOf(request, fields);
  const address = addressOf(exchange, fields, parts, spoken);
  const bucket = address.kind === 'service' ? undefined : bucketOf(address, fields, buckets);
  exchange.bucket = bucket?.label ?? '_other';
  // `webAddressOf` has not found it, since its name is spelled otherwise (`/%77eb/x`); it has no objects
  if (bucket?.web)
    throw s3Error('InvalidURI', { reason: 'another spelling of the name of a bucket at a web origin' });
  exchange.backend = bucket?.store.name;
  exchange.speak(spoken ?? bucket?.headerPrefix ?? buckets.servicePrefix);
  if (address.kind !== 'service' && bucket)
    exchange.ruleBy(bucket.rulesFor(address.kind === 'object' ? address.key : '').answers, fields.origin);
  const region = address.kind === 'service' ? serviceRegion(fields, address, buckets) : bucket?.region;
  const caller = callerOf(request, exchange, fields, () => authenticate(request, region));
  if (caller.kind === 'client') exchange.caller = caller.accessKeyId;
  const fromCaller = { request, exchange, fields, caller };
  if (address.kind === 'service') return { ...fromCaller, address, bucket: undefined };
  if (!bucket) throw unknownBucket(address.bucket);
  if (address.kind === 'object') requireObject(bucket, address.key);
  return { ...fromCaller, address, bucket };
}

/** The region that a request to the service has to be signed for: any that it may mean. */
function serviceRegion(
  { authorization }: RequestFields,
  { query }: Address,
  { serviceRegions }: BucketTable,
): string | undefined {
  const signed = scopeOf(authorization ?? query)?.region;
  return serviceRegions.find(region => region === signed) ?? serviceRegions[0];
}

/** An address that is refused is answered in the dialect of its bucket too, where that can be told. */
function addressOf(
  exchange: Exchange,
  fields: RequestFields,
  parts: LocateParts,
  spoken: HeaderPrefix | undefined,
): Address {
  try {
    return parseAddress(exchange.url, fields.host, parts.domain);
  } catch (error) {
    exchange.speak(spoken ?? bucketOfRefused(exchange.url, fields, parts)?.headerPrefix);
    throw error;
  }
}

function bucketOfRefused(
  url: string,
  fields: RequestFields,
  { domain, buckets }: LocateParts,
): Bucket | undefined {
  try {
    const address = parseBucketAddress(url, fields.host, domain);
    return address.kind === 'service' ? undefined : bucketOf(address, fields, buckets);
  } catch (error) {
    if (error instanceof S3Error) return undefined;
    throw error;
  }
}

/** What it throws is noted for the log. */
function callerOf(
  request: IncomingMessage,
  exchange: Exchange,
  { authorization }: RequestFields,
  authenticate: () => Caller,
): Caller {
  try {
    return authenticate();
  } catch (error) {
    if (error instanceof S3Error) {
      exchange.refusedSignature = {
        client: clientAddressOf(request),
        accessKey: claimedAccessKey(authorization, exchange.url),
        why: error.reason ?? error.code,
      };
    }
    throw error;
  }
}

function bucketOf(
  { bucket, query, mayBePoint }: Located['address'],
  { authorization }: RequestFields,
  buckets: BucketTable,
): Bucket | undefined {
  return mayBePoint ? buckets.findInHost(bucket, scopeOf(authorization ?? query)) : buckets.find(bucket);
}

const scopePattern = /(?:\/|%2F)\d{8}(?:\/|%2F)([a-z\d-]+)(?:\/|%2F)(s3[a-z-]*)(?:\/|%2F)aws4_request/i;

/** The scope in an Authorization header or a presigned query; whether it holds is checked with the signature. */
function scopeOf(signed: string): SignedScope | undefined {
  const [, region, service] = scopePattern.exec(signed) ?? [];
  return region === undefined || service === undefined ? undefined : { region, service };
}

/** The dialect that a request shows. Most show none; the first check is their fast path. */
function dialectOf({ rawHeaders, url = '/' }: IncomingMessage, { prefix, authorization }: RequestFields) {
  const mark = url.indexOf('?');
  if (mark < 0 && prefix === undefined && authorization === undefined) return undefined;
  return detectDialect(rawHeaders, mark < 0 ? '' : url.slice(mark + 1));
}

function unknownBucket(name: string) {
  const isName = isBucketName(name) || parseAccessPointArn(name) !== undefined;
  return isName ? noSuchBucket(name) : s3Error('InvalidBucketName', { fields: [['BucketName', name]] });
}

/** The error is the same whether or not the store has a bucket of this name. */
export function noSuchBucket(name: string): S3Error {
  const reason = 'no bucket of this name is configured';
  return s3Error('NoSuchBucket', { fields: [['BucketName', name]], reason });
}

/**
 * Refuses keys that are not an object at the store, or may be a different one.
 *
 * @throws S3Error InvalidArgument, AccessDenied
 */
export function requireObject(bucket: Bucket, key: string): void {
  requirePlain(bucket, key, 'Key');
  if (bucket.meetsAdministration && isAdministrationKey(bucket.keyPrefix + key))
    throw s3Error('AccessDenied');
}
