import { isElement, textOf, type XmlElement } from '../../../s3/xml-reader.ts';
import { escapeName } from '../../../s3/xml-text.ts';
import { InvalidReplyError } from '../../fill/fill-error.ts';
import type { Bucket } from '../../request/bucket.ts';
import type { CollectedListing } from './collect-listing.ts';
import type { ListingRequest } from './listing-request.ts';
import type { ListingView } from './listing-view.ts';
import type { Steps } from './page-turns.ts';
import { inStoreOrder, LISTING_LIMIT_BYTES, type ListedEntry } from './store-listing.ts';

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
  const { first, entries, isTruncated } = listing;
  const writer = new ListingWriter(bucket, first.isEncoded);
  const next = isTruncated ? nextElements(listing, request, view, writer) : [];
  const { start, end } = documentTags(first.root);
  const page = new PageText(start);
  for (const element of first.others) {
    page.add(writer.other(element, request, listing));
    yield;
  }
  page.add(next.join(''));
  for (const entry of [...entries].sort(byKind)) {
    page.add(writer.entry(entry));
    yield;
  }
  page.add(end);
  return page.whole();
}

/** Collects the text of a page. */
export class PageText {
  readonly #pieces: Buffer[] = [];
  #lengthBytes = 0;

  constructor(start: string) {
    this.add(start);
  }

  /** @throws InvalidReplyError if the page becomes too long: an escaped byte of the store takes up to six bytes */
  add(text: string): void {
    const piece = Buffer.from(text);
    this.#lengthBytes += piece.length;
    if (this.#lengthBytes > LISTING_LIMIT_BYTES)
      throw new InvalidReplyError('the page is too long when names are escaped');
    this.#pieces.push(piece);
  }

  whole(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

/** Stores write entries before common prefixes. */
function byKind(a: ListedEntry, b: ListedEntry): number {
  return Number(a.isCommonPrefix) - Number(b.isCommonPrefix);
}

function nextElements(
  { next, first, entries }: CollectedListing,
  request: ListingRequest,
  view: ListingView,
  writer: ListingWriter,
): string[] {
  if (!next) return [];
  const { kind } = request;
  const [{ next: name }] = kind.position;
  const [marker = ''] = next;
  if (!kind.isByKey || !view.showsMarker(marker)) return [leaf(name, request.seal(next))];
  const isLastSeen = inStoreOrder(entries).at(-1)?.name === marker;
  const isTold = first.others.some(element => element.name === name);
  // without a delimiter, ListObjects has no NextMarker: the client continues after the last key
  if (kind.position.length === 1 && isLastSeen && !isTold) return [];
  return kind.position.flatMap((part, index) => {
    const value = next[index] ?? '';
    if (index === 0) return [leaf(part.next, writer.name(value))];
    return value === '' ? [] : [leaf(part.next, value)];
  });
}

class ListingWriter {
  readonly #bucket: Bucket;
  readonly #isEncoded: boolean;

  constructor(bucket: Bucket, isEncoded: boolean) {
    this.#bucket = bucket;
    this.#isEncoded = isEncoded;
  }

  entry({ element, name, isCommonPrefix }: ListedEntry): string {
    const inner = isCommonPrefix ? 'Prefix' : 'Key';
    // without a bucket prefix the names are the same, and keep the store's percent-encoding
    const isAsWritten = this.#bucket.keyPrefix === '';
    const children = element.children.filter(isElement).map(child => {
      if (child.name === inner && !isAsWritten) return leaf(inner, this.name(name));
      const members = ofEntries.get(child.name);
      return members ? writeKnown(child, members) : '';
    });
    return inTags(element.name, children.join(''));
  }

  /** Writes an element other than an entry; values of the request are taken from the client's own. */
  other(element: XmlElement, request: ListingRequest, { isTruncated, entries }: CollectedListing): string {
    const { name } = element;
    if (asWritten.has(name)) return leaf(name, textOf(element));
    if (name === 'Name' || name === 'Bucket') return leaf(name, this.#bucket.name);
    if (name === 'IsTruncated') return leaf(name, String(isTruncated));
    if (name === 'KeyCount') return leaf(name, String(entries.length));
    if (name === 'Prefix') return leaf(name, this.#encode(request.prefix));
    if (name === 'Delimiter') return leaf(name, this.#encode(request.delimiter ?? ''));
    if (name === 'StartAfter') return leaf(name, this.#encode(request.startAfter ?? ''));
    const { kind, sentPosition } = request;
    const index = kind.position.findIndex(({ echo }) => echo === name);
    if (index < 0) return '';
    const sent = sentPosition[index] ?? '';
    return leaf(name, index === 0 && kind.isByKey ? this.#encode(sent) : sent);
  }

  /** The client's name for a name at the store. */
  name(atStore: string): string {
    return this.#encode(atStore.slice(this.#bucket.keyPrefix.length));
  }

  #encode(text: string): string {
    return this.#isEncoded ? encodeURIComponent(text).replaceAll('%2F', '/') : text;
  }
}

export function leaf(name: string, text: string): string {
  return inTags(name, escapeName(text));
}

/** The start and end tags of a document with the root element `root`. */
export function documentTags({ name, attributes }: XmlElement): {
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
