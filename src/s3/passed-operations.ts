import { checksumSizes } from './checksum.ts';
import type { OperationName } from './operation-table.ts';

/** What is forwarded to the store for one operation. */
export interface Takes {
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
export const passed: Partial<Record<OperationName, Takes>> = {
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
    fields: [
      ...[...ofEverybody, 'bypass-governance-retention', 'mfa'],
      ...['if-match-last-modified-time', 'if-match-size'],
    ],
    httpFields: ['if-match'],
  },
  DeleteObjects: { parameters: ['delete'], fields: [...ofEverybody, 'bypass-governance-retention', 'mfa'] },
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
  // its fields are those of PutObject
  PostObject: takes(),
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
  PutBucketVersioning: document(['versioning'], ['mfa']),
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
