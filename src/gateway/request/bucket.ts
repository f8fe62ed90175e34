import type { Store } from '../../backend/store.ts';
import { bucketText, type KeySlots, type ObjectKey, objectKey } from '../../cache/object-key.ts';
import { parseAccessPointArn } from '../../s3/access-point.ts';
import type { HeaderField, HeaderPrefix } from '../../s3/dialect.ts';
import type { KeyKind } from '../../s3/path-key.ts';
import type { KeyRules } from './key-rules.ts';
import type { Succession } from './succession.ts';

/** A bucket as clients address it, with everything needed to serve it. */
export interface Bucket {
  /** The name that clients use. */
  readonly name: string;
  /** The same, or `_other` for a bucket that is not named in the configuration: a metric label. */
  readonly label: string;
  readonly store: Store;
  /** The region that client signatures must be for, as they would be at the store (docs/semantics.md 122). */
  readonly region: string;
  /** The store's dialect, used for clients whose request shows none. */
  readonly headerPrefix: HeaderPrefix;
  /** Its name at the store. */
  readonly bucketAtStore: string;
  /** Prefix added to every key at the store. */
  readonly keyPrefix: string;
  /** Where its keys have their epochs. */
  readonly epochs: KeySlots;
  /** Whether keys start the path at a store that may reserve some paths for its administration. */
  readonly meetsAdministration?: boolean;
  /** Whether the store compares keys exactly or as paths. */
  readonly keys: KeyKind;
  /** Key for sealing listing markers: 32 bytes, the same in all workers. */
  readonly listingKey: Uint8Array;
  /** The largest body of a request, and the largest file in a form. */
  readonly maxBodySizeBytes: number;
  readonly customerKeys: { readonly plainHttp: 'never' | 'loopback' | 'always' };
  /** Set for a bucket that browsers read as a website. */
  readonly website?: WebsiteRules | undefined;
  /** Set for a bucket at a web origin. */
  readonly web?: WebRules;
  /** What rules change of requests to the store, as one text: what was asked for otherwise is asked for anew. */
  readonly requestRules?: string;
  /** What has become of it, and of its configuration, since. */
  readonly succession: Succession;
  /** What the configuration says of a key; at a web origin, of a path. */
  rulesFor(key: string): KeyRules;
}

/** What browsers get of a bucket beside its objects, as from a website endpoint of Amazon S3. */
export interface WebsiteRules {
  /** The document for keys that end in a slash, put behind them; also for the bucket itself. */
  readonly index: string;
  /** The key of the document that is sent instead of an error; undefined: the errors of the store protocol. */
  readonly error: string | undefined;
  /** For which statuses it is. */
  readonly errorFor: readonly number[];
  /** Whether who leaves out the slash of a folder with such a document is sent to it. */
  readonly redirects: boolean;
}

/** How requests reach a web origin, and what tells its answers apart. */
export interface WebRules {
  /** What `Host` says there: that of the endpoint, that of the client's request, or a name. */
  readonly host: { readonly kind: 'origin' | 'client' } | { readonly kind: 'fixed'; readonly name: string };
  /** Whether the origin is told of the client in X-Forwarded-For, -Proto and -Host. */
  readonly forwarded: boolean;
  /** Of the endpoint, with its port if any. */
  readonly originHost: string;
  /** Put before every path at the origin. */
  readonly pathPrefix: string;
  readonly query: QueryRules;
  /** Whether answers that set cookies are stored, with their cookies, where they may be. */
  readonly storesCookies: boolean;
}

/** Which parameters of the query are part of a key, and reach the origin. */
export interface QueryRules {
  /** Decoded. */
  readonly names: 'all' | ReadonlySet<string>;
  /** Whether the order of differently named parameters makes no difference. */
  readonly isSorted: boolean;
}

/**
 * The region that clients sign for: that of the access point they address, otherwise that of the bucket's access point
 * at the store, otherwise the store's.
 */
export function regionOfBucket(name: string, bucketAtStore: string, storeRegion: string): string {
  const point = parseAccessPointArn(name) ?? parseAccessPointArn(bucketAtStore);
  return point?.region ?? storeRegion;
}

/** Whether the bucket or its keys have other names at the store. */
export function isRenamed({ name, bucketAtStore, keyPrefix }: Bucket): boolean {
  return name !== bucketAtStore || keyPrefix !== '';
}

/** Whether a reload has moved the bucket, so that nothing may be kept that is asked for it from now on. */
export function hasMoved({ epochs, succession }: Pick<Bucket, 'epochs' | 'succession'>): boolean {
  return succession.hasMoved(epochs.bucketSlot);
}

/**
 * Where its objects are and how they are asked for, as one text: what was learned of a place with another text may be something
 * else, or not for the same readers.
 */
export function placeText({ store, bucketAtStore, keyPrefix, web, requestRules = '' }: Bucket): string {
  const place = bucketText({ backend: store.identity, bucket: bucketAtStore });
  return place + keyPrefix + (web ? webRulesText(web) : '') + requestRules;
}

/** What decides what a stored answer of a web origin is the answer to, and for whom it may be kept. */
function webRulesText({ query: { names, isSorted }, ...rules }: WebRules): string {
  return JSON.stringify([rules, names === 'all' ? names : [...names], isSorted]);
}

/** The header fields of a request for `key` as rules have them. @param key undefined: the request is about no key */
export function ruledFields(
  bucket: Pick<Bucket, 'rulesFor'>,
  key: string | undefined,
  fields: readonly HeaderField[],
): readonly HeaderField[] {
  return bucket.rulesFor(key ?? '').requests?.applied(fields) ?? fields;
}

/** The object that clients call `key` in this bucket. */
export function objectKeyOf({ store, bucketAtStore, keyPrefix, epochs }: Bucket, key: string): ObjectKey {
  return objectKey({ backend: store.identity, bucket: bucketAtStore }, keyPrefix + key, epochs);
}
