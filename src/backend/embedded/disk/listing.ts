import type { Catalogue } from './catalogue.ts';
import { type StoredVersion, versionOf } from './versions.ts';

/** A byte above all that UTF-8 text can hold: `prefix` + it lies behind every key with that prefix. */
const BEHIND = Buffer.from([0xff]);

export interface ListingQuery {
  readonly prefix: string;
  /** Keys are rolled up at its first occurrence behind the prefix; empty for none. */
  readonly delimiter: string;
  /** The last entry (a key, or a common prefix) of what was listed before. */
  readonly after: string;
  readonly maxEntries: number;
}

export type ListingEntry<Item> =
  | { readonly kind: 'item'; readonly key: string; readonly item: Item }
  | { readonly kind: 'common-prefix'; readonly key: string };

export interface ListingPage<Item> {
  readonly entries: readonly ListingEntry<Item>[];
  readonly isTruncated: boolean;
}

/** Finds the first row at or behind a key (given as bytes). */
export type Seek<Item> = (from: Uint8Array, isIncluded: boolean) => { key: string; item: Item } | undefined;

/**
 * One page in the order of the keys' bytes. Each common prefix is one seek, however many keys it stands for;
 * with `after` inside a common prefix the listing goes on behind the whole of it.
 */
export function listPage<Item>(query: ListingQuery, seek: Seek<Item>): ListingPage<Item> {
  const { prefix, delimiter, maxEntries } = query;
  const entries: ListingEntry<Item>[] = [];
  let [from, isIncluded] = start(query);
  for (;;) {
    const found = seek(from, isIncluded);
    if (!found?.key.startsWith(prefix)) return { entries, isTruncated: false };
    if (entries.length >= maxEntries) return { entries, isTruncated: maxEntries > 0 };
    const common = commonPrefix(found.key, prefix, delimiter);
    if (common === undefined) entries.push({ kind: 'item', ...found });
    else entries.push({ kind: 'common-prefix', key: common });
    from = common === undefined ? Buffer.from(found.key) : behind(common);
    isIncluded = false;
  }
}

/** Current objects of a bucket: keys whose latest version is no marker. */
export function seekCurrent(catalogue: Catalogue, bucket: string): Seek<StoredVersion> {
  return (from, isIncluded) => {
    const row = catalogue.get(
      `SELECT * FROM versions WHERE bucket = ? AND is_latest = 1 AND is_marker = 0
       AND key ${isIncluded ? '>=' : '>'} ? ORDER BY key LIMIT 1`,
      bucket,
      from,
    );
    if (!row) return undefined;
    const item = versionOf(row);
    return { key: item.key, item };
  };
}

function start({ prefix, delimiter, after }: ListingQuery): [Uint8Array, boolean] {
  if (Buffer.compare(Buffer.from(after), Buffer.from(prefix)) < 0) return [Buffer.from(prefix), true];
  const isCommonPrefix = delimiter !== '' && commonPrefix(after, prefix, delimiter) === after;
  return [isCommonPrefix ? behind(after) : Buffer.from(after), false];
}

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined;
  const end = key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}

function behind(prefix: string): Buffer {
  return Buffer.concat([Buffer.from(prefix), BEHIND]);
}
