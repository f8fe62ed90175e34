/** Operation names by sub-resource (empty for none) and method. */
type Operations = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Operations on the service as a whole. */
export const serviceOperations = {
  '': { GET: 'ListBuckets' },
} as const satisfies Operations;

/** Operations on a bucket. */
export const bucketOperations = {
  '': {
    GET: 'ListObjects',
    HEAD: 'HeadBucket',
    PUT: 'CreateBucket',
    POST: 'PostObject',
    DELETE: 'DeleteBucket',
  },
  accelerate: { GET: 'GetBucketAccelerateConfiguration', PUT: 'PutBucketAccelerateConfiguration' },
  acl: { GET: 'GetBucketAcl', PUT: 'PutBucketAcl' },
  analytics: {
    GET: 'GetBucketAnalyticsConfiguration',
    PUT: 'PutBucketAnalyticsConfiguration',
    DELETE: 'DeleteBucketAnalyticsConfiguration',
  },
  cors: { GET: 'GetBucketCors', PUT: 'PutBucketCors', DELETE: 'DeleteBucketCors' },
  delete: { POST: 'DeleteObjects' },
  encryption: { GET: 'GetBucketEncryption', PUT: 'PutBucketEncryption', DELETE: 'DeleteBucketEncryption' },
  'intelligent-tiering': {
    GET: 'GetBucketIntelligentTieringConfiguration',
    PUT: 'PutBucketIntelligentTieringConfiguration',
    DELETE: 'DeleteBucketIntelligentTieringConfiguration',
  },
  inventory: {
    GET: 'GetBucketInventoryConfiguration',
    PUT: 'PutBucketInventoryConfiguration',
    DELETE: 'DeleteBucketInventoryConfiguration',
  },
  lifecycle: {
    GET: 'GetBucketLifecycleConfiguration',
    PUT: 'PutBucketLifecycleConfiguration',
    DELETE: 'DeleteBucketLifecycle',
  },
  location: { GET: 'GetBucketLocation' },
  logging: { GET: 'GetBucketLogging', PUT: 'PutBucketLogging' },
  metadataTable: {
    GET: 'GetBucketMetadataTableConfiguration',
    POST: 'CreateBucketMetadataTableConfiguration',
    DELETE: 'DeleteBucketMetadataTableConfiguration',
  },
  metrics: {
    GET: 'GetBucketMetricsConfiguration',
    PUT: 'PutBucketMetricsConfiguration',
    DELETE: 'DeleteBucketMetricsConfiguration',
  },
  notification: { GET: 'GetBucketNotificationConfiguration', PUT: 'PutBucketNotificationConfiguration' },
  'object-lock': { GET: 'GetObjectLockConfiguration', PUT: 'PutObjectLockConfiguration' },
  ownershipControls: {
    GET: 'GetBucketOwnershipControls',
    PUT: 'PutBucketOwnershipControls',
    DELETE: 'DeleteBucketOwnershipControls',
  },
  policy: { GET: 'GetBucketPolicy', PUT: 'PutBucketPolicy', DELETE: 'DeleteBucketPolicy' },
  policyStatus: { GET: 'GetBucketPolicyStatus' },
  publicAccessBlock: {
    GET: 'GetPublicAccessBlock',
    PUT: 'PutPublicAccessBlock',
    DELETE: 'DeletePublicAccessBlock',
  },
  replication: {
    GET: 'GetBucketReplication',
    PUT: 'PutBucketReplication',
    DELETE: 'DeleteBucketReplication',
  },
  requestPayment: { GET: 'GetBucketRequestPayment', PUT: 'PutBucketRequestPayment' },
  session: { GET: 'CreateSession' },
  tagging: { GET: 'GetBucketTagging', PUT: 'PutBucketTagging', DELETE: 'DeleteBucketTagging' },
  uploads: { GET: 'ListMultipartUploads' },
  versioning: { GET: 'GetBucketVersioning', PUT: 'PutBucketVersioning' },
  versions: { GET: 'ListObjectVersions' },
  website: { GET: 'GetBucketWebsite', PUT: 'PutBucketWebsite', DELETE: 'DeleteBucketWebsite' },
} as const satisfies Operations;

/** Operations on an object. */
export const objectOperations = {
  '': { GET: 'GetObject', HEAD: 'HeadObject', PUT: 'PutObject', DELETE: 'DeleteObject' },
  acl: { GET: 'GetObjectAcl', PUT: 'PutObjectAcl' },
  attributes: { GET: 'GetObjectAttributes' },
  'legal-hold': { GET: 'GetObjectLegalHold', PUT: 'PutObjectLegalHold' },
  renameObject: { PUT: 'RenameObject' },
  restore: { POST: 'RestoreObject' },
  retention: { GET: 'GetObjectRetention', PUT: 'PutObjectRetention' },
  select: { POST: 'SelectObjectContent' },
  tagging: { GET: 'GetObjectTagging', PUT: 'PutObjectTagging', DELETE: 'DeleteObjectTagging' },
  torrent: { GET: 'GetObjectTorrent' },
  uploadId: {
    GET: 'ListParts',
    PUT: 'UploadPart',
    POST: 'CompleteMultipartUpload',
    DELETE: 'AbortMultipartUpload',
  },
  uploads: { POST: 'CreateMultipartUpload' },
} as const satisfies Operations;

/** Operations on a bucket that query parameters tell apart from those of one configuration. */
export const listedConfigurations = [
  'ListBucketAnalyticsConfigurations',
  'ListBucketIntelligentTieringConfigurations',
  'ListBucketInventoryConfigurations',
  'ListBucketMetricsConfigurations',
] as const;

type NamesIn<T> = { [Selector in keyof T]: T[Selector][keyof T[Selector]] }[keyof T];

/** An operation by its name in the S3 API. */
export type OperationName =
  | NamesIn<typeof serviceOperations>
  | NamesIn<typeof bucketOperations>
  | NamesIn<typeof objectOperations>
  /** Distinguished from the operations above by more than method and sub-resource. */
  | 'ListObjectsV2'
  | (typeof listedConfigurations)[number]
  | 'CopyObject'
  | 'UploadPartCopy'
  /** A CORS preflight request, sent with OPTIONS. */
  | 'Options'
  /** An unknown sub-resource. */
  | 'Unknown';

/** An operation that method and sub-resource tell apart from all others. */
interface NamedOperation {
  readonly name: OperationName;
  readonly method: string;
  readonly resource: 'bucket' | 'object';
}

/** All operations on buckets and objects that have a row above. */
export const namedOperations: readonly NamedOperation[] = [
  ...namesOf('bucket', bucketOperations),
  ...namesOf('object', objectOperations),
];

function namesOf(
  resource: NamedOperation['resource'],
  operations: Readonly<Record<string, Readonly<Record<string, OperationName>>>>,
): NamedOperation[] {
  return Object.values(operations).flatMap(byMethod =>
    Object.entries(byMethod).map(([method, name]) => ({ name, method, resource })),
  );
}
