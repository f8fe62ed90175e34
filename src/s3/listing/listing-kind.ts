import type { OperationName } from '../operation.ts';

/** Operations whose answers list keys of a bucket. */
export type ListingOperation =
  | 'ListMultipartUploads'
  | 'ListObjects'
  | 'ListObjectsV2'
  | 'ListObjectVersions';

/** One component of the position at which a listing continues, with its names in the store's API. */
interface PositionPart {
  /** The query parameter that contains it. */
  readonly parameter: string;
  /** The response element with its value for the next page. */
  readonly next: string;
  /** The response element that repeats the request's value. */
  readonly echo: string;
}

/** The position at which a listing continues at the store: as many texts as its operation has components. */
export type StorePosition = readonly string[];

/** How the listing operations differ. */
export interface ListingKind {
  readonly root: string;
  /** The query parameter for the page size. */
  readonly limit: string;
  /** Whether the first component is a key or key prefix; otherwise it is an opaque token. */
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
