import type { StorePosition } from './listing-kind.ts';
import type { ListedEntry, StoreListing } from './store-listing.ts';
import { compareNames, LAST_CHARACTER } from './store-order.ts';

/**
 * A key marker that makes a listing of uploads start with those of `key`. Some stores skip all uploads of the marker's
 * key regardless of the upload id marker, and then reject the id as not found (versity/versitygw backend/mp-lister.go).
 * Only keys that start with this marker can be between it and `key`.
 */
export function markerBefore(key: string): string {
  const codes = Array.from(key, character => character.codePointAt(0) ?? 0);
  const before = (codes.pop() ?? 0) - 1;
  const beginning = String.fromCodePoint(...codes);
  if (before < 0) return beginning;
  // surrogates are not characters
  const isHalf = before >= 0xd800 && before <= 0xdfff;
  return beginning + String.fromCodePoint(isHalf ? 0xd7ff : before) + LAST_CHARACTER;
}

/**
 * From a listing that starts at `markerBefore`, up to `limit` entries after the upload at `position`. Undefined if that
 * upload is not listed: it has ended or never existed.
 */
export function entriesAfterUpload(
  listing: StoreListing,
  [key = '', id = '']: StorePosition,
  limit: number,
): StoreListing | undefined {
  const { sorted } = listing;
  const at = sorted.findIndex(entry => entry.name === key && entry.uploadId === id);
  return at < 0 ? undefined : cut(listing, sorted.slice(at + 1), limit);
}

/** The same without looking for the upload: entries after all uploads of `key`. */
export function entriesAfterKey(listing: StoreListing, key: string, limit: number): StoreListing {
  const after = listing.sorted.filter(({ name }) => compareNames(name, key) > 0);
  return cut(listing, after, limit);
}

function cut(listing: StoreListing, after: readonly ListedEntry[], limit: number): StoreListing {
  const entries = after.slice(0, limit);
  const end = entries.at(-1);
  // the store was asked for a page of a different length
  const heads = new Map(listing.heads);
  if (heads.has('MaxUploads')) heads.set('MaxUploads', String(limit));
  if (after.length <= limit || !end) return { ...listing, heads, entries, sorted: entries };
  const next = end.isCommonPrefix ? [end.name + LAST_CHARACTER] : [end.name, end.uploadId ?? ''];
  return { ...listing, heads, entries, sorted: entries, isTruncated: true, next };
}
