/** A byte greater than any in UTF-8: `prefix` followed by it sorts after every key with that prefix. */
const lastByte = Buffer.from([0xff]);

interface ListingQuery {
  readonly prefix: string;
  /** Keys are grouped at its first occurrence after the prefix; empty for no grouping. */
  readonly delimiter: string;
  readonly maxEntries: number;
}

/** A row in a listing. */
export interface Listed {
  readonly key: string;
  readonly rowId: number;
}

export type ListingEntry<Item extends Listed> =
  | { readonly kind: 'item'; readonly item: Item }
  | { readonly kind: 'common-prefix'; readonly prefix: string };

export interface ListingPage<Item extends Listed> {
  readonly entries: readonly ListingEntry<Item>[];
  readonly isTruncated: boolean;
}

/** A position between rows. Rows are sorted by key, and within a key newest (highest row id) first. */
export interface ListingPosition {
  readonly key: Uint8Array;
  /** Rows of this key with smaller ids are still to be listed; 0 for none. */
  readonly belowRowId: number;
}

/** Finds the first row after a position. */
export type Seek<Item extends Listed> = (place: ListingPosition) => Item | undefined;

/** The position before all keys with `prefix`. */
export function positionBefore(prefix: string): ListingPosition {
  return { key: Buffer.from(prefix), belowRowId: Number.MAX_SAFE_INTEGER };
}

/** The position after an entry, given by its key or, with grouping, by its common prefix. */
export function positionAfter(name: string, { prefix, delimiter }: ListingQuery): ListingPosition {
  if (commonPrefix(name, prefix, delimiter) === name) return positionAfterAll(name);
  return { key: Buffer.from(name), belowRowId: 0 };
}

/** One page, starting at a position. Each common prefix takes one seek, however many keys it groups. */
export function listPage<Item extends Listed>(
  query: ListingQuery,
  start: ListingPosition,
  seek: Seek<Item>,
): ListingPage<Item> {
  const { prefix, delimiter, maxEntries } = query;
  const entries: ListingEntry<Item>[] = [];
  let place = later(start, positionBefore(prefix));
  for (;;) {
    const item = seek(place);
    if (!item?.key.startsWith(prefix)) return { entries, isTruncated: false };
    if (entries.length >= maxEntries) return { entries, isTruncated: maxEntries > 0 };
    const common = commonPrefix(item.key, prefix, delimiter);
    if (common === undefined) {
      entries.push({ kind: 'item', item });
      place = { key: Buffer.from(item.key), belowRowId: item.rowId };
    } else {
      entries.push({ kind: 'common-prefix', prefix: common });
      place = positionAfterAll(common);
    }
  }
}

/** The key or common prefix of an entry. */
export function nameOf(entry: ListingEntry<Listed>): string {
  return entry.kind === 'item' ? entry.item.key : entry.prefix;
}

function later(a: ListingPosition, b: ListingPosition): ListingPosition {
  return Buffer.compare(a.key, b.key) < 0 ? b : a;
}

function positionAfterAll(prefix: string): ListingPosition {
  return { key: Buffer.concat([Buffer.from(prefix), lastByte]), belowRowId: 0 };
}

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined;
  const end = key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}
