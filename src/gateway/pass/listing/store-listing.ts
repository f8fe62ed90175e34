import { isElement, readXmlInSteps, textOf, type XmlElement } from '../../../s3/xml-reader.ts';
import { InvalidReplyError } from '../../fill/fill-error.ts';
import type { ListingKind } from './listing-kind.ts';
import type { StorePosition } from './marker-seal.ts';
import type { Steps } from './page-turns.ts';

/** A listing has at most a thousand keys of at most 1 KiB; with escapes and the rest around them this is enough. */
export const LISTING_LIMIT_BYTES = 16 * 1024 * 1024;

const limits = { length: LISTING_LIMIT_BYTES, depth: 16 };

/** Elements of a listing that stand for something listed, and what in them holds its key or the beginning of one. */
const listed: ReadonlyMap<string, 'Key' | 'Prefix'> = new Map([
  ['CommonPrefixes', 'Prefix'],
  ['Contents', 'Key'],
  ['DeleteMarker', 'Key'],
  ['Upload', 'Key'],
  ['Version', 'Key'],
]);

/** What something listed is called. */
export interface ListedName {
  /** The key at the store, or what several keys there begin with. */
  readonly name: string;
  readonly isCommonPrefix: boolean;
}

/** Something listed. */
export interface ListedEntry extends ListedName {
  readonly element: XmlElement;
  /** Whether the caller may see it. */
  readonly isShown: boolean;
}

/** A page of a listing as the store gave it. */
export interface StoreListing {
  readonly root: XmlElement;
  /** What stands beside the entries. */
  readonly others: readonly XmlElement[];
  readonly entries: readonly ListedEntry[];
  readonly isTruncated: boolean;
  /** Whether names are percent-encoded, as they are where the client asked for that. */
  readonly isEncoded: boolean;
  /** Where the next page begins. */
  readonly next: StorePosition | undefined;
}

/**
 * Reads a store's page.
 *
 * @param shows whether the caller may see what is called so.
 * @throws InvalidReplyError for what is no such listing
 */
export function* readListing(
  body: Buffer,
  kind: ListingKind,
  shows: (name: ListedName) => boolean,
): Steps<StoreListing> {
  const root = body.length < LISTING_LIMIT_BYTES ? yield* readXmlInSteps(body, limits) : undefined;
  if (root?.name !== kind.root) throw new InvalidReplyError(`a listing that is no ${kind.root}`);
  const children = root.children.filter(isElement);
  const others = children.filter(({ name }) => !listed.has(name));
  const isEncoded = textIn(others, 'EncodingType') === 'url';
  const entries: ListedEntry[] = [];
  for (const element of children) {
    const named = nameOf(element, isEncoded);
    if (named) entries.push({ ...named, element, isShown: shows(named) });
    yield;
  }
  const isTruncated = textIn(others, 'IsTruncated') === 'true';
  const next = isTruncated ? nextPosition(kind, others, entries, isEncoded) : undefined;
  return { root, others, entries, isTruncated, isEncoded, next };
}

/** The entries in the order in which the store goes through them: by the bytes of their names. */
export function inStoreOrder(entries: readonly ListedEntry[]): readonly ListedEntry[] {
  const named = entries.map(entry => ({ entry, bytes: Buffer.from(entry.name) }));
  return named.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ entry }) => entry);
}

/** Text of the first of `elements` that is called `name`; undefined where there is none. */
export function textIn(elements: readonly XmlElement[], name: string): string | undefined {
  const element = elements.find(each => each.name === name);
  return element && textOf(element);
}

function nameOf(element: XmlElement, isEncoded: boolean): ListedName | undefined {
  const inner = listed.get(element.name);
  if (inner === undefined) return undefined;
  const text = textIn(element.children.filter(isElement), inner);
  if (text === undefined) throw new InvalidReplyError(`a listing with an entry without ${inner}`);
  return { name: decoded(text, isEncoded), isCommonPrefix: inner === 'Prefix' };
}

/**
 * Where the store says, or behind its last entry: ListObjects says so only with a delimiter. A token is followed by the
 * name of the last entry, since it tells nothing itself.
 */
function nextPosition(
  { position, isByKey }: ListingKind,
  others: readonly XmlElement[],
  entries: readonly ListedEntry[],
  isEncoded: boolean,
): StorePosition | undefined {
  const [first, ...rest] = position;
  const told = textIn(others, first.next);
  const last = inStoreOrder(entries).at(-1)?.name;
  if (told !== undefined) {
    if (!isByKey) return last === undefined ? [told] : [told, last];
    return [decoded(told, isEncoded), ...rest.map(({ next }) => textIn(others, next) ?? '')];
  }
  return isByKey && rest.length === 0 && last !== undefined ? [last] : undefined;
}

function decoded(text: string, isEncoded: boolean): string {
  if (!isEncoded) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new InvalidReplyError('a listing with a name that is not encoded');
  }
}
