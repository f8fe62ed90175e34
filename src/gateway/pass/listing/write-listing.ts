import type { Steps } from '../../../base/sliced-work.ts';
import { isElement, textOf, type XmlElement } from '../../../s3/xml-reader.ts';
import { escapeName } from '../../../s3/xml-text.ts';
import type { Bucket } from '../../request/bucket.ts';
import type { CollectedListing } from './collect-listing.ts';
import type { ListingRequest } from './listing-request.ts';
import type { ListingView } from './listing-view.ts';
import type { ListedName } from './store-listing.ts';
import { lastName } from './store-order.ts';

/** Elements copied from the store's page. Unknown ones are dropped, because they might contain names. */
const asWritten: ReadonlySet<string> = new Set(['EncodingType', 'MaxKeys', 'MaxUploads', 'RequestCharged']);

const person = ['DisplayName', 'ID'];

/**
 * The known elements of entries, and their known children: the members of Object, ObjectVersion, DeleteMarkerEntry,
 * MultipartUpload and CommonPrefix
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Types_Amazon_Simple_Storage_Service.html).
 */
const ofEntries: ReadonlyMap<string, readonly string[]> = new Map([
  ...[
    ...['ChecksumAlgorithm', 'ChecksumType', 'ETag', 'Initiated', 'IsLatest', 'Key', 'LastModified'],
    ...['Prefix', 'Size', 'StorageClass', 'UploadId', 'VersionId'],
  ].map((name): [string, string[]] => [name, []]),
  ['Initiator', person],
  ['Owner', person],
  ['RestoreStatus', ['IsRestoreInProgress', 'RestoreExpiryDate']],
]);

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
  const names = new ClientNames(bucket, first.isEncoded);
  const next = isTruncated ? yield* nextElements(listing, request, view, names) : [];
  const { start, end } = documentTags(first.root);
  const others = Array.from(first.heads, ([name, text]) => writeHead(name, text, request, listing, names));
  const beginning = Buffer.from([start, ...others, ...next].join(''));
  // stores write entries before common prefixes
  const [keys, prefixes] = [false, true].map(isPrefix =>
    shown.filter(({ isCommonPrefix }) => isCommonPrefix === isPrefix).map(({ text }) => text),
  );
  yield;
  return yield* joined([beginning, ...(keys ?? []), ...(prefixes ?? []), Buffer.from(end)]);
}

/** Pieces that are copied in one step. */
const PIECES_PER_STEP = 100;

/** Joins the pieces of a page. */
export function* joined(pieces: readonly Buffer[]): Steps<Buffer> {
  const page = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    page.set(piece, at);
    at += piece.length;
    if (index % PIECES_PER_STEP === 0) yield;
  }
  return page;
}

function* nextElements(
  { next, first, shown }: CollectedListing,
  request: ListingRequest,
  view: ListingView,
  names: ClientNames,
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
    if (index === 0) return [leaf(part.next, names.name(value))];
    return value === '' ? [] : [leaf(part.next, value)];
  });
}

/** Writes an element other than an entry; values of the request are taken from the client's own. */
function writeHead(
  name: string,
  text: string,
  request: ListingRequest,
  { isTruncated, shown }: CollectedListing,
  names: ClientNames,
): string {
  if (asWritten.has(name)) return leaf(name, text);
  if (name === 'Name' || name === 'Bucket') return leaf(name, names.bucket.name);
  if (name === 'IsTruncated') return leaf(name, String(isTruncated));
  if (name === 'KeyCount') return leaf(name, String(shown.length));
  if (name === 'Prefix') return leaf(name, names.encode(request.prefix));
  if (name === 'Delimiter') return leaf(name, names.encode(request.delimiter ?? ''));
  if (name === 'StartAfter') return leaf(name, names.encode(request.startAfter ?? ''));
  const { kind, sentPosition } = request;
  const index = kind.position.findIndex(({ echo }) => echo === name);
  if (index < 0) return '';
  const sent = sentPosition[index] ?? '';
  return leaf(name, index === 0 && kind.isByKey ? names.encode(sent) : sent);
}

/** Writes an entry with the client's name and the known members. */
export function writeEntry(
  element: XmlElement,
  { name, isCommonPrefix }: ListedName,
  names: ClientNames,
): string {
  const inner = isCommonPrefix ? 'Prefix' : 'Key';
  // without a bucket prefix the names are the same, and keep the store's percent-encoding
  const isAsWritten = names.bucket.keyPrefix === '';
  const children = element.children.filter(isElement).map(child => {
    if (child.name === inner && !isAsWritten) return leaf(inner, names.name(name));
    const members = ofEntries.get(child.name);
    return members ? writeKnown(child, members) : '';
  });
  return inTags(element.name, children.join(''));
}

/** The client's names for those at the store. */
export class ClientNames {
  readonly bucket: Bucket;
  readonly #isEncoded: boolean;

  constructor(bucket: Bucket, isEncoded: boolean) {
    this.bucket = bucket;
    this.#isEncoded = isEncoded;
  }

  /** The client's name for a name at the store. */
  name(atStore: string): string {
    return this.encode(atStore.slice(this.bucket.keyPrefix.length));
  }

  encode(text: string): string {
    return this.#isEncoded ? encodeURIComponent(text).replaceAll('%2F', '/') : text;
  }
}

export function leaf(name: string, text: string): string {
  return inTags(name, escapeName(text));
}

/** The start and end tags of a document with the root element `root`. */
export function documentTags({ name, attributes }: Pick<XmlElement, 'name' | 'attributes'>): {
  readonly start: string;
  readonly end: string;
} {
  const namespace = attributes.get('xmlns');
  const written = namespace === undefined ? '' : ` xmlns="${escapeName(namespace)}"`;
  return { start: `<?xml version="1.0" encoding="UTF-8"?>\n<${name}${written}>`, end: `</${name}>` };
}

/** `element` without attributes, with its text, or with those of its children listed in `members`. */
export function writeKnown(element: XmlElement, members: readonly string[]): string {
  if (members.length === 0) return leaf(element.name, textOf(element));
  const known = element.children.filter(isElement).filter(({ name }) => members.includes(name));
  return inTags(element.name, known.map(child => leaf(child.name, textOf(child))).join(''));
}

function inTags(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}
