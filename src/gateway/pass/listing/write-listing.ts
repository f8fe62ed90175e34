import type { Steps } from '../../../base/sliced-work.ts';
import { encodeName, joined } from '../../../s3/listing/listing-xml.ts';
import { lastName } from '../../../s3/listing/store-order.ts';
import { documentTags, leaf } from '../../../s3/xml-writer.ts';
import type { Bucket } from '../../request/bucket.ts';
import type { CollectedListing } from './collect-listing.ts';
import type { ListingRequest } from './listing-request.ts';
import type { ListingView } from './listing-view.ts';

/** Elements copied from the store's page. Unknown ones are dropped, because they might contain names. */
const asWritten: ReadonlySet<string> = new Set(['EncodingType', 'MaxKeys', 'MaxUploads', 'RequestCharged']);

/**
 * Writes a page for the client: with the client's names, and with sealed markers where the store's would reveal a
 * hidden name.
 */
export function* writeListing(
  listing: CollectedListing,
  request: ListingRequest,
  view: ListingView,
  bucket: Bucket,
): Steps<Buffer> {
  const { first, shown, isTruncated } = listing;
  const next = isTruncated ? yield* nextElements(listing, request, view, bucket) : [];
  const { start, end } = documentTags(first.root);
  const others = Array.from(first.heads, ([name, text]) => writeHead(name, text, request, listing, bucket));
  const beginning = Buffer.from([start, ...others, ...startAfter(listing, request), ...next].join(''));
  // stores write entries before common prefixes
  const [keys, prefixes] = [false, true].map(isPrefix =>
    shown.filter(({ isCommonPrefix }) => isCommonPrefix === isPrefix).map(({ text }) => text),
  );
  yield;
  return yield* joined([beginning, ...(keys ?? []), ...(prefixes ?? []), Buffer.from(end)]);
}

/** A client that sends it beside a token is told it, but its store is not (`storeQuery`), and so does not tell it. */
function startAfter({ first }: CollectedListing, { sentPosition, startAfter }: ListingRequest): string[] {
  if (!startAfter || sentPosition[0] === undefined || first.heads.has('StartAfter')) return [];
  return [leaf('StartAfter', encodeName(startAfter, first.isEncoded))];
}

function* nextElements(
  { next, first, shown }: CollectedListing,
  request: ListingRequest,
  view: ListingView,
  bucket: Bucket,
): Steps<string[]> {
  if (!next) return [];
  const { kind } = request;
  const [{ next: name }] = kind.position;
  const [marker = ''] = next;
  if (!kind.isByKey || !view.showsMarker(marker)) return [leaf(name, request.seal(next))];
  const isLastSeen = (yield* lastName(shown)) === marker;
  const isTold = first.heads.has(name);
  // without a delimiter, ListObjects has no NextMarker: the client continues after the last key
  if (kind.position.length === 1 && isLastSeen && !isTold) return [];
  return kind.position.flatMap((part, index) => {
    const value = next[index] ?? '';
    if (index === 0) return [leaf(part.next, encodeName(keyAtClient(value, bucket), first.isEncoded))];
    return value === '' ? [] : [leaf(part.next, value)];
  });
}

/** Writes an element other than an entry; values of the request are taken from the client's own. */
function writeHead(
  name: string,
  text: string,
  request: ListingRequest,
  { first, isTruncated, shown }: CollectedListing,
  bucket: Bucket,
): string {
  const encoded = (value = '') => leaf(name, encodeName(value, first.isEncoded));
  if (asWritten.has(name)) return leaf(name, text);
  if (name === 'Name' || name === 'Bucket') return leaf(name, bucket.name);
  if (name === 'IsTruncated') return leaf(name, String(isTruncated));
  if (name === 'KeyCount') return leaf(name, String(shown.length));
  if (name === 'Prefix') return encoded(request.prefix);
  if (name === 'Delimiter') return encoded(request.delimiter);
  if (name === 'StartAfter') return encoded(request.startAfter);
  const { kind, sentPosition } = request;
  const index = kind.position.findIndex(({ echo }) => echo === name);
  if (index < 0) return '';
  const sent = sentPosition[index] ?? '';
  return index === 0 && kind.isByKey ? encoded(sent) : leaf(name, sent);
}

/** The client's name for a key or common prefix at the store. */
export function keyAtClient(atStore: string, { keyPrefix }: Bucket): string {
  return atStore.slice(keyPrefix.length);
}
