import { type ListingEntry, listPage, seekCurrent } from '../disk/listing.ts';
import type { StoredVersion } from '../disk/versions.ts';
import type { Answer } from '../protocol/answer.ts';
import { type EncodeName, type ListingRequest, parseListingRequest } from '../protocol/listing-request.ts';
import { StoreError } from '../protocol/store-error.ts';
import { type XmlElements, xmlDocument } from '../protocol/xml.ts';
import type { BucketCall } from './operation.ts';

type Entry = ListingEntry<StoredVersion>;

/** ListObjectsV2: pages go on behind an opaque token. */
export function listObjectsV2(call: BucketCall): Answer {
  const { request } = call;
  const listing = parseListingRequest(request);
  const token = request.query.get('continuation-token');
  const startAfter = request.query.get('start-after');
  const page = pageOf(call, listing, token === undefined ? (startAfter ?? '') : fromToken(token));
  const hasOwner = request.query.get('fetch-owner') === 'true';
  const last = page.entries.at(-1);
  return result({
    ...commonElements(call, listing, page.entries, page.isTruncated),
    KeyCount: page.entries.length,
    ContinuationToken: token,
    NextContinuationToken: page.isTruncated && last ? toToken(last.key) : undefined,
    StartAfter: startAfter === undefined ? undefined : listing.encode(startAfter),
    ...contents(page.entries, listing.encode, hasOwner ? call : undefined),
  });
}

/** ListObjects, the version before: pages go on behind a marker that is a key or a common prefix. */
export function listObjects(call: BucketCall): Answer {
  const listing = parseListingRequest(call.request);
  const marker = call.request.query.get('marker') ?? '';
  const page = pageOf(call, listing, marker);
  const last = page.entries.at(-1);
  const isMarkerNeeded = page.isTruncated && listing.delimiter !== '' && last;
  return result({
    ...commonElements(call, listing, page.entries, page.isTruncated),
    Marker: listing.encode(marker),
    NextMarker: isMarkerNeeded ? listing.encode(last.key) : undefined,
    ...contents(page.entries, listing.encode, call),
  });
}

function pageOf({ store, bucket }: BucketCall, listing: ListingRequest, after: string) {
  return listPage({ ...listing, after }, seekCurrent(store.catalogue, bucket.name));
}

function commonElements(
  { bucket }: BucketCall,
  { prefix, delimiter, maxEntries, encode, encodingType }: ListingRequest,
  entries: readonly Entry[],
  isTruncated: boolean,
): XmlElements {
  return {
    Name: bucket.name,
    Prefix: encode(prefix),
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    MaxKeys: maxEntries,
    EncodingType: encodingType,
    IsTruncated: isTruncated,
    CommonPrefixes: entries.flatMap(entry =>
      entry.kind === 'common-prefix' ? [{ Prefix: encode(entry.key) }] : [],
    ),
  };
}

function contents(entries: readonly Entry[], encode: EncodeName, owned: BucketCall | undefined): XmlElements {
  const Contents: XmlElements[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'item' || entry.item.kind !== 'object') continue;
    const { item } = entry;
    Contents.push({
      Key: encode(item.key),
      LastModified: new Date(item.lastModifiedMs).toISOString(),
      ETag: `"${item.etag}"`,
      ChecksumAlgorithm: item.attributes.checksum?.algorithm,
      ChecksumType: item.attributes.checksum?.type,
      Size: item.sizeBytes,
      StorageClass: item.storageClass,
      Owner: owned && ownerElement(owned),
    });
  }
  return { Contents };
}

/** The owner as listings show it. */
export function ownerElement({ bucket }: BucketCall): XmlElements {
  return { ID: bucket.settings.ownerId };
}

function result(content: XmlElements): Answer {
  return { status: 200, body: { kind: 'xml', document: xmlDocument('ListBucketResult', content) } };
}

function toToken(key: string): string {
  return Buffer.from(key).toString('base64url');
}

function fromToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString();
  if (token !== '' && toToken(key) === token) return key;
  throw new StoreError('InvalidArgument', {
    message: 'The continuation token provided is incorrect',
    fields: { ArgumentName: 'continuation-token', ArgumentValue: token },
  });
}
