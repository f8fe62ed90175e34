import { isElement, readXmlInSteps, textOf, type XmlElement } from '../../../s3/xml-reader.ts';
import { InvalidReplyError } from '../../fill/fill-error.ts';
import type { ListingKind } from './listing-kind.ts';
import type { StorePosition } from './marker-seal.ts';
import type { Steps } from './page-turns.ts';

/** Enough for a thousand keys of 1 KiB with escapes and the elements around them. */
export const LISTING_LIMIT_BYTES = 16 * 1024 * 1024;

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

/** The name of an entry. */
export interface ListedName {
  /** The key at the store, or a common prefix of keys there. */
  readonly name: string;
  readonly isCommonPrefix: boolean;
}

/** An entry of a listing. */
export interface ListedEntry extends ListedName {
  readonly element: XmlElement;
  /** Whether the caller may see it. */
  readonly isShown: boolean;
}

/** A page of a listing as the store sent it. */
export interface StoreListing {
  readonly root: XmlElement;
  /** Elements other than entries. */
  readonly others: readonly XmlElement[];
  readonly entries: readonly ListedEntry[];
  readonly isTruncated: boolean;
  /** Whether names are percent-encoded, at the client's request. */
  readonly isEncoded: boolean;
  /** Where the next page begins. */
  readonly next: StorePosition | undefined;
}

/**
 * Parses a page of the store.
 *
 * @param limit the number of entries that were asked for; more are a wrong answer
 * @param shows whether the caller may see a name
 * @throws InvalidReplyError if the body is not such a listing, or has too many entries
 */
export function* readListing(
  body: Buffer,
  kind: ListingKind,
  limit: number,
  shows: (name: ListedName) => boolean,
): Steps<StoreListing> {
  const root = body.length < LISTING_LIMIT_BYTES ? yield* readXmlInSteps(body, limits) : undefined;
  if (root?.name !== kind.root) throw new InvalidReplyError(`the listing is not a ${kind.root}`);
  const children = root.children.filter(isElement);
  const others = children.filter(({ name }) => !listed.has(name));
  const isEncoded = textIn(others, 'EncodingType') === 'url';
  const entries: ListedEntry[] = [];
  for (const element of children) {
    const named = nameOf(element, isEncoded);
    if (named) entries.push({ ...named, element, isShown: shows(named) });
    if (entries.length > limit)
      throw new InvalidReplyError('the listing has more entries than were asked for');
    yield;
  }
  const isTruncated = textIn(others, 'IsTruncated') === 'true';
  const next = isTruncated ? nextPosition(kind, others, entries, isEncoded) : undefined;
  return { root, others, entries, isTruncated, isEncoded, next };
}

/** Sorts entries in the store's order: by the bytes of their names. */
export function inStoreOrder(entries: readonly ListedEntry[]): readonly ListedEntry[] {
  const named = entries.map(entry => ({ entry, bytes: Buffer.from(entry.name) }));
  return named.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ entry }) => entry);
}

/** The text of the first of `elements` named `name`; undefined if there is none. */
export function textIn(elements: readonly XmlElement[], name: string): string | undefined {
  const element = elements.find(each => each.name === name);
  return element && textOf(element);
}

function nameOf(element: XmlElement, isEncoded: boolean): ListedName | undefined {
  const inner = listed.get(element.name);
  if (inner === undefined) return undefined;
  const text = textIn(element.children.filter(isElement), inner);
  if (text === undefined) throw new InvalidReplyError(`the listing has an entry without ${inner}`);
  return { name: decoded(text, isEncoded), isCommonPrefix: inner === 'Prefix' };
}

/**
 * The position that the store states, otherwise the last entry: ListObjects states it only with a delimiter. A token is
 * followed by the name of the last entry, because it is opaque.
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
    throw new InvalidReplyError('the listing has a name with invalid percent-encoding');
  }
}
