import {
  type ListingEntry,
  type ListingPosition,
  listPage,
  nameOf,
  positionAfter,
  positionBefore,
} from '../disk/listing.ts';
import { seekVersions } from '../disk/seek-versions.ts';
import type { StoredVersion } from '../disk/versions.ts';
import { formatIsoDate } from '../protocol/dates.ts';
import {
  type EncodeName,
  type ListingParameters,
  parseListingParameters,
} from '../protocol/listing-parameters.ts';
import type { OperationAnswer } from '../protocol/operation-answer.ts';
import { type XmlElements, xmlResult } from '../protocol/xml.ts';
import { commonElements, objectElements, ownerElement } from './list-objects.ts';
import type { BucketCall } from './operation.ts';

/** ListObjectVersions: newest first within a key. */
export function listObjectVersions(call: BucketCall): OperationAnswer {
  const { request, store, bucket } = call;
  const listing = parseListingParameters(request);
  const keyMarker = request.query.get('key-marker') ?? '';
  const versionMarker = request.query.get('version-id-marker') ?? '';
  const start = startOf(call, listing, keyMarker, versionMarker);
  const page = listPage(listing, start, seekVersions(store.catalogue, bucket.name));
  const last = page.isTruncated ? page.entries.at(-1) : undefined;
  const content = {
    ...commonElements(call, listing, page),
    KeyMarker: listing.encode(keyMarker),
    VersionIdMarker: versionMarker,
    NextKeyMarker: last && listing.encode(nameOf(last)),
    NextVersionIdMarker: last?.kind === 'item' ? last.item.versionId : undefined,
    ...versionElements(call, page.entries, listing.encode),
  };
  return { status: 200, body: xmlResult('ListVersionsResult', content) };
}

function startOf(
  { store, bucket }: BucketCall,
  listing: ListingParameters,
  keyMarker: string,
  versionMarker: string,
): ListingPosition {
  if (keyMarker === '') return positionBefore('');
  const version =
    versionMarker === '' ? undefined : store.versions.find(bucket.name, keyMarker, versionMarker);
  if (version) return { key: Buffer.from(keyMarker), belowRowId: version.rowId };
  return positionAfter(keyMarker, listing);
}

function versionElements(
  call: BucketCall,
  entries: readonly ListingEntry<StoredVersion>[],
  encode: EncodeName,
): XmlElements {
  const Version: XmlElements[] = [];
  const DeleteMarker: XmlElements[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'item') continue;
    const { item } = entry;
    const identity = { VersionId: item.versionId, IsLatest: item.isLatest, Owner: ownerElement(call) };
    if (item.kind === 'object') Version.push({ ...objectElements(item, encode), ...identity });
    else {
      const LastModified = formatIsoDate(item.lastModifiedMs);
      DeleteMarker.push({ Key: encode(item.key), LastModified, ...identity });
    }
  }
  return { Version, DeleteMarker };
}
