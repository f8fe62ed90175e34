import { checksumSizes } from './checksum.ts';
import type { HeaderField } from './dialect.ts';
import { s3Error } from './error.ts';
import { bucketOperations, type OperationName, objectOperations } from './operation-table.ts';
import type { KeyKind } from './path-key.ts';
import type { Query } from './query.ts';
import { requireId } from './store-id.ts';

/** What is forwarded to the store for one operation. */
interface Takes {
  /** Names of query parameters, including the operation's own sub-resource. */
  readonly parameters: readonly string[];
  /** Names of store fields, without prefix; one that ends in `*` stands for all that begin like it. */
  readonly fields: readonly string[];
  /** Names of HTTP fields. Reads take none. */
  readonly httpFields?: readonly string[];
  /** Whether the request has a body. */
  readonly hasBody?: boolean;
}

const ofEverybody = ['expected-bucket-owner', 'request-payer'];
const customerKey = [
  'server-side-encryption-customer-algorithm',
  'server-side-encryption-customer-key',
  'server-side-encryption-customer-key-md5',
];
const ofNewObjects = [
  ...['acl', 'grant-*', 'meta-*', 'tagging', 'storage-class', 'website-redirect-location'],
  ...['object-lock-mode', 'object-lock-retain-until-date', 'object-lock-legal-hold'],
  ...['server-side-encryption', 'server-side-encryption-aws-kms-key-id', 'server-side-encryption-context'],
  'server-side-encryption-bucket-key-enabled',
];
const checksums = [...Object.keys(checksumSizes).map(name => `checksum-${name}`), 'sdk-checksum-algorithm'];
const ofContent = [
  ...['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-type'],
  'expires',
];
const ofDocuments = [...ofEverybody, ...checksums];
const ofAcls = ['acl', 'grant-*'];
/** Of copies. The source itself is named by the gateway. */
const ofSources = [
  ...['if-match', 'if-modified-since', 'if-none-match', 'if-unmodified-since', ...customerKey].map(
    name => `copy-source-${name}`,
  ),
  'source-expected-bucket-owner',
];
const ofListings = ['prefix', 'delimiter', 'encoding-type'];

/**
 * Everything that is forwarded to the store for operations that the gateway passes through. Anything not listed is
 * dropped, since it may have a meaning at some store (such as `metadata` and `events` in MinIO's listings). Operations
 * that are not listed are not passed through. GetObject and HeadObject are handled elsewhere.
 *
 * The names are those of the S3 API; parameters that no operation knows are ignored (docs/semantics.md 237).
 */
const passed: Partial<Record<OperationName, Takes>> = {
  AbortMultipartUpload: { parameters: ['uploadId'], fields: [...ofEverybody, 'if-match-initiated-time'] },
  CompleteMultipartUpload: {
    parameters: ['uploadId'],
    fields: [...ofEverybody, ...customerKey, ...checksums, 'checksum-type', 'mp-object-size'],
    httpFields: ['content-type', 'if-match', 'if-none-match'],
    hasBody: true,
  },
  CopyObject: {
    parameters: [],
    fields: [
      ...[...ofEverybody, ...customerKey, ...ofNewObjects, ...ofSources],
      ...['checksum-algorithm', 'metadata-directive', 'tagging-directive'],
    ],
    httpFields: [...ofContent, 'if-match', 'if-none-match'],
  },
  CreateMultipartUpload: {
    parameters: ['uploads'],
    fields: [...ofEverybody, ...customerKey, ...ofNewObjects, 'checksum-algorithm', 'checksum-type'],
    httpFields: ofContent,
  },
  CreateBucket: document([], [...ofAcls, 'bucket-object-lock-enabled', 'object-ownership']),
  DeleteBucket: takes(),
  DeleteBucketAnalyticsConfiguration: takes('analytics', 'id'),
  DeleteBucketCors: takes('cors'),
  DeleteBucketEncryption: takes('encryption'),
  DeleteBucketIntelligentTieringConfiguration: takes('intelligent-tiering', 'id'),
  DeleteBucketInventoryConfiguration: takes('inventory', 'id'),
  DeleteBucketLifecycle: takes('lifecycle'),
  DeleteBucketMetadataTableConfiguration: takes('metadataTable'),
  DeleteBucketMetricsConfiguration: takes('metrics', 'id'),
  DeleteBucketOwnershipControls: takes('ownershipControls'),
  DeleteBucketPolicy: takes('policy'),
  DeleteBucketReplication: takes('replication'),
  DeleteBucketTagging: takes('tagging'),
  DeleteBucketWebsite: takes('website'),
  DeleteObject: {
    parameters: ['versionId'],
    fields: [...ofEverybody, 'bypass-governance-retention', 'if-match-last-modified-time', 'if-match-size'],
    httpFields: ['if-match'],
  },
  DeleteObjects: { parameters: ['delete'], fields: [...ofEverybody, 'bypass-governance-retention'] },
  DeleteObjectTagging: takes('tagging', 'versionId'),
  DeletePublicAccessBlock: takes('publicAccessBlock'),
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
  PutBucketAccelerateConfiguration: document(['accelerate']),
  PutBucketAcl: document(['acl'], ofAcls),
  PutBucketAnalyticsConfiguration: document(['analytics', 'id']),
  PutBucketCors: document(['cors']),
  PutBucketEncryption: document(['encryption']),
  PutBucketIntelligentTieringConfiguration: document(['intelligent-tiering', 'id']),
  PutBucketInventoryConfiguration: document(['inventory', 'id']),
  PutBucketLifecycleConfiguration: document(['lifecycle'], ['transition-default-minimum-object-size']),
  PutBucketLogging: document(['logging']),
  CreateBucketMetadataTableConfiguration: document(['metadataTable']),
  PutBucketMetricsConfiguration: document(['metrics', 'id']),
  PutBucketNotificationConfiguration: document(['notification'], ['skip-destination-validation']),
  PutBucketOwnershipControls: document(['ownershipControls']),
  PutBucketPolicy: document(['policy'], ['confirm-remove-self-bucket-access']),
  PutBucketReplication: document(['replication'], ['bucket-object-lock-token']),
  PutBucketRequestPayment: document(['requestPayment']),
  PutBucketTagging: document(['tagging']),
  PutBucketVersioning: document(['versioning']),
  PutBucketWebsite: document(['website']),
  PutObject: {
    parameters: [],
    fields: [...ofEverybody, ...customerKey, ...ofNewObjects, ...checksums],
    httpFields: [...ofContent, 'content-md5', 'if-match', 'if-none-match'],
    hasBody: true,
  },
  UploadPart: {
    parameters: ['partNumber', 'uploadId'],
    fields: [...ofEverybody, ...customerKey, ...checksums],
    httpFields: ['content-md5'],
    hasBody: true,
  },
  PutObjectAcl: document(['acl', 'versionId'], ofAcls),
  PutObjectLegalHold: document(['legal-hold', 'versionId']),
  PutObjectLockConfiguration: document(['object-lock'], ['bucket-object-lock-token']),
  PutObjectRetention: document(['retention', 'versionId'], ['bypass-governance-retention']),
  PutObjectTagging: document(['tagging', 'versionId']),
  PutPublicAccessBlock: document(['publicAccessBlock']),
  RestoreObject: { parameters: ['restore', 'versionId'], fields: ofEverybody },
  SelectObjectContent: document(['select', 'select-type'], customerKey),
  UploadPartCopy: {
    parameters: ['partNumber', 'uploadId'],
    fields: [...ofEverybody, ...customerKey, ...ofSources, 'copy-source-range'],
  },
};

/** Parameters of reads and write operations, and those that signatures and tools add. */
const ofOthers = [
  ...['AWSAccessKeyId', 'Expires', 'Signature', 'x-id', 'bucket-region', 'max-buckets', 'partNumber'],
  ...['response-cache-control', 'response-content-disposition', 'response-content-encoding'],
  ...['response-content-language', 'response-content-type', 'response-expires', 'select-type', 'versionId'],
];

/** Parameters whose values are keys or parts of keys. All other values are ids, numbers or words. */
const ofKeys: ReadonlySet<string> = new Set(['delimiter', 'key-marker', 'marker', 'prefix', 'start-after']);

const subResources: ReadonlySet<string> = new Set(
  [bucketOperations, objectOperations].flatMap(table => Object.keys(table)).filter(Boolean),
);

/** Parameters that select no operation even when empty; those with a store prefix do not either. */
export const plainParameters: ReadonlySet<string> = new Set(
  [...ofOthers, ...Object.values(passed).flatMap(({ parameters }) => parameters)].filter(
    name => !subResources.has(name),
  ),
);

/**
 * The query parameters that `operation` knows, in the order of the table. Sub-resources lose their value, except for
 * the upload id.
 *
 * @param keys whether the store may interpret ids as paths.
 * @throws S3Error InvalidArgument for a repeated parameter, of which gateway and store might read different ones, and
 *   for an id that may be a path; NoSuchUpload for an empty id of an upload; NotImplemented for an operation that is not
 *   passed to stores
 */
export function knownParameters(operation: OperationName, query: Query, keys: KeyKind): Query {
  return takenBy(operation).parameters.flatMap(name => {
    const [parameter, another] = query.filter(each => each.name === name);
    if (another) throw repeated(name, another.value);
    if (!parameter) return [];
    if (subResources.has(name) && name !== 'uploadId') return [{ name, value: '' }];
    // a store of files may take an empty id for all uploads of the key
    if (name === 'uploadId' && parameter.value === '') throw s3Error('NoSuchUpload');
    if (!ofKeys.has(name)) requireId(keys, parameter.value, name);
    return [parameter];
  });
}

/** Whether requests for `operation` are passed to stores; what is not may be answered by the gateway itself. */
export function isPassed(operation: OperationName): boolean {
  return passed[operation] !== undefined;
}

/** Whether requests for `operation` have a body that is sent on to the store. */
export function passesBody(operation: OperationName): boolean {
  return passed[operation]?.hasBody === true;
}

/** Whether a field is forwarded for `operation`; a store field by its name without prefix. */
export function takesField(operation: OperationName, { name, store }: Omit<HeaderField, 'value'>): boolean {
  const { fields, httpFields = [] } = takenBy(operation);
  if (!store) return httpFields.includes(name);
  return fields.some(taken => (taken.endsWith('*') ? name.startsWith(taken.slice(0, -1)) : taken === name));
}

/** Formats a query for a URL (RFC 3986 §3.4). */
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

/** An operation whose body is a document about the resource. */
function document(parameters: readonly string[], fields: readonly string[] = []): Takes {
  return {
    parameters,
    fields: [...ofDocuments, ...fields],
    httpFields: ['content-md5', 'content-type'],
    hasBody: true,
  };
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
