import { s3Error } from './error.ts';
import { bucketOperations, type OperationName, objectOperations } from './operation-table.ts';
import type { KeyKind } from './path-key.ts';
import type { Query } from './query.ts';
import { requireId } from './store-id.ts';

/** What a request for one operation may say to the store. */
interface Takes {
  /** Names of query parameters, the operation's own sub-resource among them. */
  readonly parameters: readonly string[];
  /** Names of store fields, without prefix. */
  readonly fields: readonly string[];
}

const ofEverybody = ['expected-bucket-owner', 'request-payer'];
const customerKey = [
  'server-side-encryption-customer-algorithm',
  'server-side-encryption-customer-key',
  'server-side-encryption-customer-key-md5',
];
const ofListings = ['prefix', 'delimiter', 'encoding-type'];

/**
 * Everything that is given on to a store of an operation that the gateway passes: what is not named here never gets
 * there, whatever it would mean to a store that knows it (such as the `metadata` and `events` of MinIO's listings). What
 * an operation does not name is not passed at all. GetObject and HeadObject are asked in other ways.
 *
 * The names are those of the store's API; parameters that no operation knows are ignored (behaviours.md 237).
 */
const passed: Partial<Record<OperationName, Takes>> = {
  GetBucketAccelerateConfiguration: takes('accelerate'),
  GetBucketAcl: takes('acl'),
  GetBucketAnalyticsConfiguration: takes('analytics', 'id'),
  GetBucketCors: takes('cors'),
  GetBucketEncryption: takes('encryption'),
  GetBucketIntelligentTieringConfiguration: takes('intelligent-tiering', 'id'),
  GetBucketInventoryConfiguration: takes('inventory', 'id'),
  GetBucketLifecycleConfiguration: takes('lifecycle'),
  GetBucketLocation: takes('location'),
  GetBucketLogging: takes('logging'),
  GetBucketMetadataTableConfiguration: takes('metadataTable'),
  GetBucketMetricsConfiguration: takes('metrics', 'id'),
  GetBucketNotificationConfiguration: takes('notification'),
  GetBucketOwnershipControls: takes('ownershipControls'),
  GetBucketPolicy: takes('policy'),
  GetBucketPolicyStatus: takes('policyStatus'),
  GetBucketReplication: takes('replication'),
  GetBucketRequestPayment: takes('requestPayment'),
  GetBucketTagging: takes('tagging'),
  GetBucketVersioning: takes('versioning'),
  GetBucketWebsite: takes('website'),
  GetObjectAcl: takes('acl', 'versionId'),
  GetObjectAttributes: {
    parameters: ['attributes', 'versionId'],
    fields: [...ofEverybody, ...customerKey, 'object-attributes', 'max-parts', 'part-number-marker'],
  },
  GetObjectLegalHold: takes('legal-hold', 'versionId'),
  GetObjectLockConfiguration: takes('object-lock'),
  GetObjectRetention: takes('retention', 'versionId'),
  GetObjectTagging: takes('tagging', 'versionId'),
  GetObjectTorrent: takes('torrent'),
  GetPublicAccessBlock: takes('publicAccessBlock'),
  HeadBucket: takes(),
  ListBucketAnalyticsConfigurations: takes('analytics', 'continuation-token'),
  ListBucketIntelligentTieringConfigurations: takes('intelligent-tiering', 'continuation-token'),
  ListBucketInventoryConfigurations: takes('inventory', 'continuation-token'),
  ListBucketMetricsConfigurations: takes('metrics', 'continuation-token'),
  ListMultipartUploads: takes('uploads', ...ofListings, 'key-marker', 'max-uploads', 'upload-id-marker'),
  ListObjects: listing('marker', 'max-keys'),
  ListObjectsV2: listing('list-type', 'continuation-token', 'fetch-owner', 'max-keys', 'start-after'),
  ListObjectVersions: listing('versions', 'key-marker', 'max-keys', 'version-id-marker'),
  ListParts: {
    parameters: ['uploadId', 'max-parts', 'part-number-marker'],
    fields: [...ofEverybody, ...customerKey],
  },
};

/** Parameters of reads and of requests that change something, and those that signatures and tools add. */
const ofOthers = [
  ...['AWSAccessKeyId', 'Expires', 'Signature', 'x-id', 'bucket-region', 'max-buckets', 'partNumber'],
  ...['response-cache-control', 'response-content-disposition', 'response-content-encoding'],
  ...['response-content-language', 'response-content-type', 'response-expires', 'select-type', 'versionId'],
];

/** Parameters that hold what keys hold. Every other value is an id, a number or a word. */
const ofKeys: ReadonlySet<string> = new Set(['delimiter', 'key-marker', 'marker', 'prefix', 'start-after']);

const subResources: ReadonlySet<string> = new Set(
  [bucketOperations, objectOperations].flatMap(table => Object.keys(table)).filter(Boolean),
);

/** Parameters that select no operation even when they are empty; those with a store's prefix do not either. */
export const plainParameters: ReadonlySet<string> = new Set(
  [...ofOthers, ...Object.values(passed).flatMap(({ parameters }) => parameters)].filter(
    name => !subResources.has(name),
  ),
);

/**
 * The parameters of a query that `operation` knows, in the order of the table; sub-resources without a value, save
 * that the id of an upload is one.
 *
 * @param keys how the store tells keys apart, and so what it may take for a path.
 * @throws S3Error InvalidArgument for one that is there twice: of two, gateway and store might read different ones; for
 *   an id that may be a path; NotImplemented for an operation that is not passed to stores
 */
export function knownParameters(operation: OperationName, query: Query, keys: KeyKind): Query {
  return takenBy(operation).parameters.flatMap(name => {
    const [parameter, another] = query.filter(each => each.name === name);
    if (another) throw repeated(name, another.value);
    if (!parameter) return [];
    if (subResources.has(name) && name !== 'uploadId') return [{ name, value: '' }];
    if (!ofKeys.has(name)) requireId(keys, parameter.value, name);
    return [parameter];
  });
}

/** Whether `operation` may carry the store field `name`. */
export function takesField(operation: OperationName, name: string): boolean {
  return takenBy(operation).fields.includes(name);
}

/** A query as it stands in a URL (RFC 3986 §3.4). */
export function formatQuery(query: Query): string {
  return query
    .map(({ name, value }) =>
      value === '' && subResources.has(name)
        ? name
        : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
    )
    .join('&');
}

function takenBy(operation: OperationName): Takes {
  const taken = passed[operation];
  if (!taken) throw s3Error('NotImplemented');
  return taken;
}

function takes(...parameters: string[]): Takes {
  return { parameters, fields: ofEverybody };
}

function listing(...parameters: string[]): Takes {
  return {
    parameters: [...parameters, ...ofListings],
    fields: [...ofEverybody, 'optional-object-attributes'],
  };
}

function repeated(name: string, value: string) {
  return s3Error('InvalidArgument', {
    message: `The query string parameter ${name} is given more than once.`,
    fields: [
      ['ArgumentName', name],
      ['ArgumentValue', value],
    ],
  });
}
