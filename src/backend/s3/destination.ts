import { type AccessPointService, accessPointHost, parseAccessPointArn } from '../../s3/access-point.ts';
import { encodeKey } from '../../s3/address.ts';
import { SERVICE } from '../../s3/sigv4-canonical.ts';

/** Where a request is sent, and the scope of its signature. */
export interface Destination {
  /** Includes the port unless it is the scheme's default. */
  readonly host: string;
  /** Without query. */
  readonly rawPath: string;
  readonly region: string;
  readonly service: AccessPointService;
}

/** How a store is addressed. */
export interface StoreAddress {
  /** Host of the store, with port if any. */
  readonly host: string;
  readonly region: string;
  /** Whether buckets are named in the path or in the host. */
  readonly addressing: 'path' | 'virtual';
}

/**
 * The destination of a request for `key` in `bucket`. An access point ARN has its own host, and names the region and
 * service (docs/semantics.md, Bucket; docs/semantics.md 232).
 *
 * @param bucket undefined for requests to the service itself
 * @param key undefined for requests to the bucket; never empty
 */
export function destinationOf(
  { host, region, addressing }: StoreAddress,
  bucket: string | undefined,
  key: string | undefined,
): Destination {
  const point = bucket?.startsWith('arn:') ? parseAccessPointArn(bucket) : undefined;
  if (point) {
    const { service } = point;
    return { host: accessPointHost(point, host), rawPath: pathOf('', key), region: point.region, service };
  }
  if (bucket === undefined || addressing === 'path') {
    const inPath = bucket === undefined ? '' : `/${bucket}`;
    return { host, rawPath: pathOf(inPath, key), region, service: SERVICE };
  }
  return { host: `${bucket}.${host}`, rawPath: pathOf('', key), region, service: SERVICE };
}

/** The key is sent exactly as it is: `//`, `..` and the like are part of it (docs/semantics.md 218 to 227). */
function pathOf(inPath: string, key: string | undefined): string {
  // it would be the path of the bucket, and a write of an object one of the bucket
  if (key === '') throw new RangeError('an object has no empty key');
  return key === undefined ? inPath || '/' : `${inPath}/${encodeKey(key)}`;
}
