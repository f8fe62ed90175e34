import type { OperationName } from '../../../s3/operation.ts';

/** Operations whose answers name keys of a bucket. */
export type ListingOperation =
  | 'ListMultipartUploads'
  | 'ListObjects'
  | 'ListObjectsV2'
  | 'ListObjectVersions';

/** One of the texts that say where a listing goes on, by its names in the store's API. */
export interface PositionPart {
  /** The query parameter that takes it. */
  readonly parameter: string;
  /** The element that holds it for the next page. */
  readonly next: string;
  /** The element that repeats what was asked for. */
  readonly echo: string;
}

/** What tells one listing from another. */
export interface ListingKind {
  readonly root: string;
  /** The parameter that limits a page. */
  readonly limit: string;
  /** Whether the first part is a key, or what a key begins with; else it is a token that only the store can read. */
  readonly isByKey: boolean;
  readonly position: readonly [PositionPart, ...PositionPart[]];
}

const keyMarker: PositionPart = { parameter: 'key-marker', next: 'NextKeyMarker', echo: 'KeyMarker' };

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html */
export const listingKinds: Readonly<Record<ListingOperation, ListingKind>> = {
  ListMultipartUploads: {
    root: 'ListMultipartUploadsResult',
    limit: 'max-uploads',
    isByKey: true,
    position: [
      keyMarker,
      { parameter: 'upload-id-marker', next: 'NextUploadIdMarker', echo: 'UploadIdMarker' },
    ],
  },
  ListObjects: {
    root: 'ListBucketResult',
    limit: 'max-keys',
    isByKey: true,
    position: [{ parameter: 'marker', next: 'NextMarker', echo: 'Marker' }],
  },
  ListObjectsV2: {
    root: 'ListBucketResult',
    limit: 'max-keys',
    isByKey: false,
    position: [{ parameter: 'continuation-token', next: 'NextContinuationToken', echo: 'ContinuationToken' }],
  },
  ListObjectVersions: {
    root: 'ListVersionsResult',
    limit: 'max-keys',
    isByKey: true,
    position: [
      keyMarker,
      { parameter: 'version-id-marker', next: 'NextVersionIdMarker', echo: 'VersionIdMarker' },
    ],
  },
};

/** Whether an operation lists keys. */
export function isListing(operation: OperationName): operation is ListingOperation {
  return Object.hasOwn(listingKinds, operation);
}
