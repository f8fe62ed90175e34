/** A byte above all that UTF-8 text can hold: `prefix` + it lies behind every key with that prefix. */
const lastByte = Buffer.from([0xff]);

export interface ListingQuery {
  readonly prefix: string;
  /** Keys are rolled up at its first occurrence behind the prefix; empty for none. */
  readonly delimiter: string;
  readonly maxEntries: number;
}

/** A row that a listing comes to. */
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

/** A place between rows, which are in the order of keys and, for one key, newest (highest row id) first. */
export interface ListingPosition {
  readonly key: Uint8Array;
  /** Rows of this very key below that id are still to come; 0 for none. */
  readonly belowRowId: number;
}

/** Finds the first row behind a place. */
export type Seek<Item extends Listed> = (place: ListingPosition) => Item | undefined;

/** The place in front of everything that begins with `prefix`. */
export function positionBefore(prefix: string): ListingPosition {
  return { key: Buffer.from(prefix), belowRowId: Number.MAX_SAFE_INTEGER };
}

/** The place behind an entry named by its key, or, where names are rolled up, by its common prefix. */
export function positionAfter(name: string, { prefix, delimiter }: ListingQuery): ListingPosition {
  if (commonPrefix(name, prefix, delimiter) === name) return behindAll(name);
  return { key: Buffer.from(name), belowRowId: 0 };
}

/** One page from a place on. Each common prefix is one seek, however many keys it stands for. */
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
      place = behindAll(common);
    }
  }
}

/** The name an entry goes by. */
export function nameOf(entry: ListingEntry<Listed>): string {
  return entry.kind === 'item' ? entry.item.key : entry.prefix;
}

function later(a: ListingPosition, b: ListingPosition): ListingPosition {
  return Buffer.compare(a.key, b.key) < 0 ? b : a;
}

function behindAll(prefix: string): ListingPosition {
  return { key: Buffer.concat([Buffer.from(prefix), lastByte]), belowRowId: 0 };
}

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined;
  const end = key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}
