import { ownText } from '../../base/own-text.ts';
import { recordName } from '../../cache/record.ts';
import { parseRange, type RangeRequest } from '../../http/range.ts';
import type { CustomerKey } from '../../s3/customer-key.ts';
import type { Pairs } from '../../s3/error.ts';
import type { Query } from '../../s3/query.ts';
import { readParameters } from '../../s3/read-parameters.ts';
import type { RequestFields } from '../../s3/request-fields.ts';
import { requireId } from '../../s3/store-id.ts';
import type { Permissions, Visibility } from './access.ts';
import { type Bucket, isRenamed, objectKeyOf, type WebsiteRules } from './bucket.ts';
import { takesCustomerKeys } from './customer-keys.ts';
import type { Exchange } from './exchange.ts';
import type { KeyRules } from './key-rules.ts';
import type { Located } from './locate.ts';
import { heardDirectives, type ObjectRead } from './object-read.ts';

/** A page that a browser asks of a website: nothing of it depends on who asks, since nobody has signed. */
export interface Page {
  readonly rules: WebsiteRules;
  readonly permissions: Permissions;
  /** The key of the folder's document, where the page may be a folder without its slash. */
  readonly folderIndex: string | undefined;
  /** Set for the document of an error: answers with the error itself, where the document is not to be had. */
  readonly otherwise?: (() => void) | undefined;
}

/** A client's GetObject or HeadObject, parsed and authenticated. */
export interface ClientRead {
  readonly exchange: Exchange;
  readonly fields: RequestFields;
  readonly rules: KeyRules;
  readonly read: ObjectRead;
  readonly range: RangeRequest;
  /** Whether the client may read the object, or the version that it asks for. */
  readonly isAllowed: boolean;
  readonly visibility: Visibility;
  /** Headers that replace those of a 200 response only (docs/semantics.md, Decided 1). */
  readonly overrides: Pairs;
  /** Whether a missing key may be reported as missing (docs/semantics.md, Authentication 4). */
  readonly mayKnowMissing: boolean;
  /** Sent with the request, for an object that is encrypted with it. */
  readonly customerKey: CustomerKey | undefined;
  readonly nowMs: number;
  /** Set for a read of a website. */
  readonly page?: Page | undefined;
  /** The status of an answer with the whole object; undefined: 200. */
  readonly status?: number | undefined;
}

/**
 * Builds the read that a client asks for, with what it may see of the object.
 *
 * @throws S3Error for parameters that are invalid or not accepted on this connection
 */
export function clientRead(
  { request, exchange, fields, bucket, caller }: Located,
  key: string,
  query: Query,
  permissions: Permissions,
  nowMs: number,
): ClientRead {
  const parameters = readParameters({
    query,
    storeFields: fields.store,
    range: fields.range,
    isSigned: caller.kind === 'client',
    takesCustomerKeys: fields.store !== undefined && takesCustomerKeys(bucket, request),
  });
  const { partNumber, expectedBucketOwner, requestPayer, checksumMode, overrides } = parameters;
  const versionId = parameters.versionId && ownText(parameters.versionId);
  if (versionId !== undefined) requireId(bucket.keys, versionId, 'versionId');
  exchange.key = key;
  exchange.versionId = versionId;
  const range = parseRange(fields.range);
  const rules = bucket.rulesFor(key);
  const variant = { origin: originTold(rules, fields), expectedBucketOwner, requestPayer };
  const method = exchange.isHead ? 'HEAD' : 'GET';
  const policy = rules.cache;
  const directives = heardDirectives(policy, fields);
  const read: ObjectRead = {
    method,
    bucket,
    policy,
    objectKey: objectKeyOf(bucket, key),
    versionId,
    variant,
    recordName: recordName(versionId, variant, method),
    range,
    ...(fields.ifRange !== undefined && { ifRange: fields.ifRange }),
    partNumber,
    isConditional: fields.isConditional,
    ...(directives && { directives }),
    ...(exchange.trace && { trace: exchange.trace }),
  };
  return {
    exchange,
    fields,
    rules,
    read,
    range,
    isAllowed: permissions.allowsRead(key, versionId),
    visibility: visibilityOf(bucket, key, permissions, checksumMode),
    overrides,
    mayKnowMissing: permissions.allows('ListBucket', key),
    customerKey: parameters.customerKey,
    nowMs,
  };
}

/** What of an answer about `key` the caller sees. */
export function visibilityOf(
  bucket: Bucket,
  key: string,
  permissions: Permissions,
  checksums: boolean,
): Visibility {
  const targeted = bucket.rulesFor(key).cache.targetedCacheControl === 'pass';
  return permissions.visibility(key, { checksums, storeNames: !isRenamed(bucket), targeted });
}

/** The `Origin` that the store is told. Where the gateway answers for CORS, that is none: all origins share one record. */
export function originTold({ answers }: KeyRules, { origin }: RequestFields): string | undefined {
  return answers?.crossOrigin ? undefined : possibleOrigin(origin);
}

/** Twice what a scheme, a host name and a port can have. */
const LONGEST_ORIGIN = 512;

/**
 * No browser sends a longer one (RFC 6454 §7, RFC 1035 §2.3.4): it names nobody. A store might refuse a head of that length, and
 * a refusal of the object counts for all who read it.
 */
function possibleOrigin(origin: string | undefined): string | undefined {
  return origin !== undefined && origin.length <= LONGEST_ORIGIN ? origin : undefined;
}
