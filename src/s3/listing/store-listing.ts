import type { Steps } from '../../base/sliced-work.ts';
import { isElement, readXmlInSteps, textOf, type XmlElement } from '../xml-reader.ts';
import { elementsOf, inTags, knownElements, leaf, writeKnown } from '../xml-writer.ts';
import { type ListingKind, listingKinds, type StorePosition } from './listing-kind.ts';
import { decodeName, InvalidListError } from './listing-xml.ts';
import { inStoreOrder } from './store-order.ts';

/**
 * Enough for a thousand entries whose keys have 1024 bytes, each written as six (`&quot;`, `&#x1F;`), and 2 KiB of
 * other members. A page of usual keys takes 0.3 MiB. Pages with more entries than were asked for pass within this.
 */
export const LISTING_LIMIT_BYTES = 8 * 1024 * 1024;

/** Enough for entries of 20 members each and white space between them, and for a key of 1 KiB with every byte escaped. */
const limits = { length: LISTING_LIMIT_BYTES, depth: 16, nodes: 80_000, memberLength: 16 * 1024 };

/** Elements for listed entries, and the child that contains their key or prefix. */
const listed: ReadonlyMap<string, 'Key' | 'Prefix'> = new Map([
  ['CommonPrefixes', 'Prefix'],
  ['Contents', 'Key'],
  ['DeleteMarker', 'Key'],
  ['Upload', 'Key'],
  ['Version', 'Key'],
]);

/** The other elements of a page that are read. Unknown ones are dropped, because they might contain names. */
const headNames: ReadonlySet<string> = new Set([
  ...['Bucket', 'Delimiter', 'EncodingType', 'IsTruncated', 'KeyCount', 'MaxKeys', 'MaxUploads', 'Name'],
  ...['Prefix', 'RequestCharged', 'StartAfter'],
  ...Object.values(listingKinds).flatMap(({ position }) =>
    position.flatMap(({ next, echo }) => [next, echo]),
  ),
]);

/**
 * The known elements of entries: the members of Object, ObjectVersion, DeleteMarkerEntry, MultipartUpload and
 * CommonPrefix (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Types_Amazon_Simple_Storage_Service.html).
 */
const ofEntries = knownElements(
  [
    ...['ChecksumAlgorithm', 'ChecksumType', 'ETag', 'Initiated', 'IsLatest', 'Key', 'LastModified'],
    ...['Prefix', 'Size', 'StorageClass', 'UploadId', 'VersionId'],
  ],
  { RestoreStatus: ['IsRestoreInProgress', 'RestoreExpiryDate'] },
);

/** Heap that an entry needs beside its name and text. */
const ENTRY_BYTES = 256;

/** The name of an entry. */
export interface ListedName {
  /** The key at the store, or a common prefix of keys there. */
  readonly name: string;
  readonly isCommonPrefix: boolean;
}

/** An entry of a listing. */
export interface ListedEntry extends ListedName {
  readonly uploadId: string | undefined;
  /** As the caller gets it; undefined if the caller may not see it. */
  readonly shown: Buffer | undefined;
}

/** A page of a listing as the store sent it. Its XML elements are not kept: they take several times as much memory. */
export interface StoreListing {
  readonly root: Pick<XmlElement, 'name' | 'attributes'>;
  /** The text of each element other than entries, in the store's order; of several with one name, the first. */
  readonly heads: ReadonlyMap<string, string>;
  /** As the store sent them. */
  readonly entries: readonly ListedEntry[];
  /** By the bytes of their names. */
  readonly sorted: readonly ListedEntry[];
  readonly isTruncated: boolean;
  /** Whether names are percent-encoded, at the client's request. */
  readonly isEncoded: boolean;
  /** Where the next page begins. */
  readonly next: StorePosition | undefined;
}

/** What the caller gets of an entry. */
export interface EntryView {
  /** Whether the caller may see it. */
  shows(name: ListedName): boolean;
  /** The name to write for `name`; undefined: as the store wrote it. */
  nameFor(name: ListedName, isEncoded: boolean): string | undefined;
}

/**
 * Parses a page of the store.
 *
 * @throws InvalidListError if the body is not such a listing, or is too large
 */
export function* readListing(body: Buffer, kind: ListingKind, view: EntryView): Steps<StoreListing> {
  const root = body.length < LISTING_LIMIT_BYTES ? yield* readXmlInSteps(body, limits) : undefined;
  if (root?.name !== kind.root) throw new InvalidListError(`it is not a ${kind.root}`);
  const heads = readHeads(root);
  yield;
  const isEncoded = heads.get('EncodingType') === 'url';
  const entries: ListedEntry[] = [];
  let shownBytes = 0;
  for (const element of elementsOf(root)) {
    const entry = readEntry(element, isEncoded, view);
    if (!entry) continue;
    entries.push(entry);
    shownBytes += entry.shown?.length ?? 0;
    if (shownBytes > LISTING_LIMIT_BYTES) throw new InvalidListError('it is too long when names are escaped');
    yield;
  }
  const isTruncated = heads.get('IsTruncated') === 'true';
  const sorted = yield* inStoreOrder(entries);
  const next = isTruncated ? nextPosition(kind, heads, sorted.at(-1)?.name, isEncoded) : undefined;
  const { name, attributes } = root;
  return { root: { name, attributes }, heads, entries, sorted, isTruncated, isEncoded, next };
}

/** The memory that a page needs, in bytes. */
export function sizeOfListing({ entries }: StoreListing): number {
  let sizeBytes = 0;
  for (const { name, shown } of entries) sizeBytes += ENTRY_BYTES + name.length + (shown?.length ?? 0);
  return sizeBytes;
}

function readHeads(root: XmlElement): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const element of elementsOf(root)) {
    if (headNames.has(element.name) && !texts.has(element.name))
      texts.set(element.name, copyOf(textOf(element)));
  }
  return texts;
}

function readEntry(element: XmlElement, isEncoded: boolean, view: EntryView): ListedEntry | undefined {
  const inner = listed.get(element.name);
  if (inner === undefined) return undefined;
  const text = textIn(element, inner);
  if (text === undefined) throw new InvalidListError(`an entry has no ${inner}`);
  const name = { name: copyOf(decodeName(text, isEncoded)), isCommonPrefix: inner === 'Prefix' };
  const shown = view.shows(name)
    ? Buffer.from(writeEntry(element, inner, view.nameFor(name, isEncoded)))
    : undefined;
  const uploadId = element.name === 'Upload' ? textIn(element, 'UploadId') : undefined;
  return { ...name, uploadId: uploadId && copyOf(uploadId), shown };
}

/** An entry with its known members, and `name` in place of its own. */
function writeEntry(element: XmlElement, inner: 'Key' | 'Prefix', name: string | undefined): string {
  const members = elementsOf(element).map(child =>
    child.name === inner && name !== undefined ? leaf(inner, name) : writeKnown(child, ofEntries),
  );
  return inTags(element.name, members.join(''));
}

function textIn({ children }: XmlElement, name: string): string | undefined {
  for (const child of children) if (isElement(child) && child.name === name) return textOf(child);
  return undefined;
}

/** A part of a string keeps the whole string in memory (V8); a copy does not. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

/**
 * The position that the store states, otherwise the last entry: ListObjects states it only with a delimiter. A token is
 * followed by the name of the last entry, because it is opaque.
 */
function nextPosition(
  { position, isByKey }: ListingKind,
  heads: ReadonlyMap<string, string>,
  last: string | undefined,
  isEncoded: boolean,
): StorePosition | undefined {
  const [first, ...rest] = position;
  const told = heads.get(first.next);
  if (told !== undefined) {
    if (!isByKey) return last === undefined ? [told] : [told, last];
    return [decodeName(told, isEncoded), ...rest.map(({ next }) => heads.get(next) ?? '')];
  }
  return isByKey && rest.length === 0 && last !== undefined ? [last] : undefined;
}
