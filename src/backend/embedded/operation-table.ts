import {
  createBucket,
  deleteBucket,
  getBucketLocation,
  headBucket,
  listBuckets,
} from './operations/buckets.ts';
import { abortUpload, completeUpload } from './operations/complete-upload.ts';
import { createUpload } from './operations/create-upload.ts';
import { deleteObject } from './operations/delete-object.ts';
import { listObjects, listObjectsV2 } from './operations/list-objects.ts';
import { listParts, listUploads } from './operations/list-uploads.ts';
import type { BucketCall, BucketNameCall, ObjectCall, Run, ServiceCall } from './operations/operation.ts';
import { putObject } from './operations/put-object.ts';
import { readObject } from './operations/read-object.ts';
import { uploadPart } from './operations/upload-part.ts';

interface Row {
  readonly name: string;
  readonly method: string;
  /** The query parameter that selects the operation; absent for the one without any. */
  readonly selector?: string;
}

/** `action` is the permission demanded before it runs; absent where the operation decides by what it finds. */
export type Operation =
  | (Row & { readonly on: 'service'; readonly run: Run<ServiceCall> })
  | (Row & { readonly on: 'bucket-name'; readonly action: string; readonly run: Run<BucketNameCall> })
  | (Row & { readonly on: 'bucket'; readonly action: string; readonly run: Run<BucketCall> })
  | (Row & { readonly on: 'object'; readonly action?: string; readonly run: Run<ObjectCall> });

/** Everything this store can do. */
export const OPERATIONS: readonly Operation[] = [
  { on: 'service', method: 'GET', name: 'ListBuckets', run: listBuckets },

  { on: 'bucket-name', method: 'PUT', name: 'CreateBucket', action: 'CreateBucket', run: createBucket },
  { on: 'bucket', method: 'HEAD', name: 'HeadBucket', action: 'ListBucket', run: headBucket },
  { on: 'bucket', method: 'DELETE', name: 'DeleteBucket', action: 'DeleteBucket', run: deleteBucket },
  { on: 'bucket', method: 'GET', name: 'ListObjects', action: 'ListBucket', run: listObjects },
  {
    on: 'bucket',
    method: 'GET',
    selector: 'list-type',
    name: 'ListObjectsV2',
    action: 'ListBucket',
    run: listObjectsV2,
  },
  {
    on: 'bucket',
    method: 'GET',
    selector: 'location',
    name: 'GetBucketLocation',
    action: 'GetBucketLocation',
    run: getBucketLocation,
  },
  {
    on: 'bucket',
    method: 'GET',
    selector: 'uploads',
    name: 'ListMultipartUploads',
    action: 'ListBucketMultipartUploads',
    run: listUploads,
  },

  { on: 'object', method: 'GET', name: 'GetObject', run: readObject },
  { on: 'object', method: 'HEAD', name: 'HeadObject', run: readObject },
  { on: 'object', method: 'PUT', name: 'PutObject', action: 'PutObject', run: putObject },
  { on: 'object', method: 'DELETE', name: 'DeleteObject', run: deleteObject },

  {
    on: 'object',
    method: 'POST',
    selector: 'uploads',
    name: 'CreateMultipartUpload',
    action: 'PutObject',
    run: createUpload,
  },
  {
    on: 'object',
    method: 'PUT',
    selector: 'uploadId',
    name: 'UploadPart',
    action: 'PutObject',
    run: uploadPart,
  },
  {
    on: 'object',
    method: 'POST',
    selector: 'uploadId',
    name: 'CompleteMultipartUpload',
    action: 'PutObject',
    run: completeUpload,
  },
  {
    on: 'object',
    method: 'DELETE',
    selector: 'uploadId',
    name: 'AbortMultipartUpload',
    action: 'AbortMultipartUpload',
    run: abortUpload,
  },
  {
    on: 'object',
    method: 'GET',
    selector: 'uploadId',
    name: 'ListParts',
    action: 'ListMultipartUploadParts',
    run: listParts,
  },
];
