import { getBucketAcl, getObjectAcl, putBucketAcl, putObjectAcl } from './operations/acl.ts';
import { deleteBucketCors, getBucketCors, putBucketCors } from './operations/bucket-cors.ts';
import { deleteLifecycle, getLifecycle, putLifecycle } from './operations/bucket-lifecycle.ts';
import { getBucketVersioning, putBucketVersioning } from './operations/bucket-versioning.ts';
import {
  createBucket,
  deleteBucket,
  getBucketLocation,
  headBucket,
  listBuckets,
  postToBucket,
} from './operations/buckets.ts';
import { abortUpload, completeUpload } from './operations/complete-upload.ts';
import { createUpload } from './operations/create-upload.ts';
import { deleteObject } from './operations/delete-object.ts';
import { deleteObjects } from './operations/delete-objects.ts';
import { listObjects, listObjectsV2 } from './operations/list-objects.ts';
import { listParts, listUploads } from './operations/list-uploads.ts';
import { listObjectVersions } from './operations/list-versions.ts';
import { getLegalHold, getRetention, putLegalHold, putRetention } from './operations/object-lock.ts';
import type { BucketCall, BucketNameCall, ObjectCall, Run, ServiceCall } from './operations/operation.ts';
import { putOrCopyObject } from './operations/put-object.ts';
import { readObject } from './operations/read-object.ts';
import { getRequestPayment, putRequestPayment } from './operations/request-payment.ts';
import { restoreObject } from './operations/restore-object.ts';
import { putStagedState } from './operations/staged-state.ts';
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './operations/tagging.ts';
import { uploadPart } from './operations/upload-part.ts';

/** Method, the query parameter that selects the operation (empty for none), the operation, the required permission. */
type Row<Call> = readonly [method: string, selector: string, run: Run<Call>, action: string];

/** The required permission depends on what the operation finds, so it checks itself. */
const BY_ITSELF = '';

const serviceRows: readonly Row<ServiceCall>[] = [['GET', '', listBuckets, 'ListAllMyBuckets']];

const bucketNameRows: readonly Row<BucketNameCall>[] = [['PUT', '', createBucket, 'CreateBucket']];

const bucketRows: readonly Row<BucketCall>[] = [
  ['HEAD', '', headBucket, 'ListBucket'],
  ['DELETE', '', deleteBucket, 'DeleteBucket'],
  ['GET', '', listObjects, 'ListBucket'],
  ['GET', 'list-type', listObjectsV2, 'ListBucket'],
  ['GET', 'versions', listObjectVersions, 'ListBucketVersions'],
  ['GET', 'uploads', listUploads, 'ListBucketMultipartUploads'],
  ['POST', '', postToBucket, BY_ITSELF],
  ['POST', 'delete', deleteObjects, BY_ITSELF],
  ['GET', 'location', getBucketLocation, 'GetBucketLocation'],
  ['GET', 'versioning', getBucketVersioning, 'GetBucketVersioning'],
  ['PUT', 'versioning', putBucketVersioning, 'PutBucketVersioning'],
  ['GET', 'requestPayment', getRequestPayment, 'GetBucketRequestPayment'],
  ['PUT', 'requestPayment', putRequestPayment, 'PutBucketRequestPayment'],
  ['GET', 'acl', getBucketAcl, 'GetBucketAcl'],
  ['PUT', 'acl', putBucketAcl, 'PutBucketAcl'],
  ['GET', 'cors', getBucketCors, 'GetBucketCORS'],
  ['PUT', 'cors', putBucketCors, 'PutBucketCORS'],
  ['DELETE', 'cors', deleteBucketCors, 'PutBucketCORS'],
  ['GET', 'lifecycle', getLifecycle, 'GetLifecycleConfiguration'],
  ['PUT', 'lifecycle', putLifecycle, 'PutLifecycleConfiguration'],
  ['DELETE', 'lifecycle', deleteLifecycle, 'PutLifecycleConfiguration'],
];

const objectRows: readonly Row<ObjectCall>[] = [
  ['GET', '', readObject, BY_ITSELF],
  ['HEAD', '', readObject, BY_ITSELF],
  ['PUT', '', putOrCopyObject, 'PutObject'],
  ['DELETE', '', deleteObject, BY_ITSELF],
  ['POST', 'restore', restoreObject, BY_ITSELF],
  ['GET', 'acl', getObjectAcl, BY_ITSELF],
  ['PUT', 'acl', putObjectAcl, BY_ITSELF],
  ['GET', 'tagging', getObjectTagging, BY_ITSELF],
  ['PUT', 'tagging', putObjectTagging, BY_ITSELF],
  ['DELETE', 'tagging', deleteObjectTagging, BY_ITSELF],
  ['GET', 'legal-hold', getLegalHold, BY_ITSELF],
  ['PUT', 'legal-hold', putLegalHold, BY_ITSELF],
  ['GET', 'retention', getRetention, BY_ITSELF],
  ['PUT', 'retention', putRetention, BY_ITSELF],
  ['PUT', 'embedded-state', putStagedState, BY_ITSELF],
  ['POST', 'uploads', createUpload, 'PutObject'],
  ['PUT', 'uploadId', uploadPart, 'PutObject'],
  ['POST', 'uploadId', completeUpload, 'PutObject'],
  ['DELETE', 'uploadId', abortUpload, 'AbortMultipartUpload'],
  ['GET', 'uploadId', listParts, 'ListMultipartUploadParts'],
];

interface Selected {
  readonly method: string;
  readonly selector: string;
  /** The permission checked before it runs, if any. */
  readonly action: string | undefined;
}

export type Operation =
  | (Selected & { readonly on: 'service'; readonly run: Run<ServiceCall> })
  | (Selected & { readonly on: 'bucket-name'; readonly run: Run<BucketNameCall> })
  | (Selected & { readonly on: 'bucket'; readonly run: Run<BucketCall> })
  | (Selected & { readonly on: 'object'; readonly run: Run<ObjectCall> });

/** All operations of this store. */
export const operations: readonly Operation[] = [
  ...serviceRows.map(row => ({ ...selected(row), on: 'service' as const, run: row[2] })),
  ...bucketNameRows.map(row => ({ ...selected(row), on: 'bucket-name' as const, run: row[2] })),
  ...bucketRows.map(row => ({ ...selected(row), on: 'bucket' as const, run: row[2] })),
  ...objectRows.map(row => ({ ...selected(row), on: 'object' as const, run: row[2] })),
];

function selected([method, selector, , action]: Row<never>): Selected {
  return { method, selector, action: action === BY_ITSELF ? undefined : action };
}
