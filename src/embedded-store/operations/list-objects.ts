import {
  type Listed,
  type ListingPage,
  listPage,
  nameOf,
  positionAfter,
  positionBefore,
} from '../disk/listing.ts';
import { seekCurrent } from '../disk/seek-versions.ts';
import type { StoredObject } from '../disk/versions.ts';
import { formatIsoDate } from '../protocol/dates.ts';
import {
  type EncodeName,
  type ListingParameters,
  parseListingParameters,
} from '../protocol/listing-parameters.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { OperationError } from '../protocol/operation-error.ts';
import { type XmlElements, xmlResult } from '../protocol/xml.ts';
import type { BucketCall } from './operation.ts';

/** ListObjectsV2: pages continue with an opaque token. */
export function listObjectsV2(call: BucketCall): OperationAnswer {
  const { request } = call;
  const listing = parseListingParameters(request);
  const token = request.query.get('continuation-token');
  const startAfter = request.query.get('start-after');
  const page = pageOf(call, listing, token === undefined ? (startAfter ?? '') : fromToken(token));
  const hasOwner = request.query.get('fetch-owner') === 'true';
  const last = page.entries.at(-1);
  const content = {
    ...commonElements(call, listing, page),
    KeyCount: page.entries.length,
    ContinuationToken: token,
    NextContinuationToken: page.isTruncated && last ? toToken(nameOf(last)) : undefined,
    StartAfter: startAfter === undefined ? undefined : listing.encode(startAfter),
    Contents: contents(page, listing.encode, hasOwner ? call : undefined),
  };
  return { status: 200, body: xmlResult('ListBucketResult', content) };
}

/** ListObjects, the older version: pages continue after a marker, which is a key or a common prefix. */
export function listObjects(call: BucketCall): OperationAnswer {
  const listing = parseListingParameters(call.request);
  const marker = call.request.query.get('marker') ?? '';
  const page = pageOf(call, listing, marker);
  const last = page.entries.at(-1);
  const isMarkerNeeded = page.isTruncated && listing.delimiter !== '' && last;
  const content = {
    ...commonElements(call, listing, page),
    Marker: listing.encode(marker),
    NextMarker: isMarkerNeeded ? listing.encode(nameOf(last)) : undefined,
    Contents: contents(page, listing.encode, call),
  };
  return { status: 200, body: xmlResult('ListBucketResult', content) };
}

/** The elements that all listings of a bucket have. */
export function commonElements(
  { bucket }: BucketCall,
  { prefix, delimiter, maxEntries, encode, encodingType }: ListingParameters,
  { entries, isTruncated }: ListingPage<Listed>,
): XmlElements {
  return {
    Name: bucket.name,
    Prefix: encode(prefix),
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    MaxKeys: maxEntries,
    EncodingType: encodingType,
    IsTruncated: isTruncated,
    CommonPrefixes: entries.flatMap(entry =>
      entry.kind === 'common-prefix' ? [{ Prefix: encode(entry.prefix) }] : [],
    ),
  };
}

/** The elements of an object in listings. */
export function objectElements(object: StoredObject, encode: EncodeName): XmlElements {
  const { checksum } = object.attributes;
  return {
    Key: encode(object.key),
    LastModified: formatIsoDate(object.lastModifiedMs),
    ETag: `"${object.etag}"`,
    ChecksumAlgorithm: checksum?.algorithm,
    ChecksumType: checksum?.type,
    Size: object.sizeBytes,
    StorageClass: object.storageClass,
  };
}

/** The owner, as shown in listings. */
export function ownerElement({ bucket }: BucketCall): XmlElements {
  return { ID: bucket.settings.ownerId };
}

function pageOf(
  { store, bucket }: BucketCall,
  listing: ListingParameters,
  after: string,
): ListingPage<StoredObject> {
  const start = after === '' ? positionBefore('') : positionAfter(after, listing);
  return listPage(listing, start, seekCurrent(store.catalogue, bucket.name));
}

function contents(
  { entries }: ListingPage<StoredObject>,
  encode: EncodeName,
  owned: BucketCall | undefined,
): XmlElements[] {
  return entries.flatMap(entry =>
    entry.kind === 'item'
      ? [{ ...objectElements(entry.item, encode), Owner: owned && ownerElement(owned) }]
      : [],
  );
}

function toToken(key: string): string {
  return Buffer.from(key).toString('base64url');
}

function fromToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString();
  if (token !== '' && toToken(key) === token) return key;
  throw new OperationError('InvalidArgument', {
    message: 'The continuation token provided is incorrect',
    fields: { ArgumentName: 'continuation-token', ArgumentValue: token },
  });
}
