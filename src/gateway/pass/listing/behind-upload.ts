import { isElement } from '../../../s3/xml-reader.ts';
import type { StorePosition } from './marker-seal.ts';
import { inStoreOrder, type ListedEntry, type StoreListing, textIn } from './store-listing.ts';

/** The last code point of all. */
const LAST = '\u{10ffff}';

/**
 * A key marker from which a list of uploads begins with those of `key`: some stores leave out all uploads of the key
 * marker, whatever the id marker says, and then refuse the id, which they do not find (versity/versitygw
 * backend/mp-lister.go). Before `key` and behind this marker only keys could be that begin with the marker.
 */
export function markerBefore(key: string): string {
  const codes = Array.from(key, character => character.codePointAt(0) ?? 0);
  const before = (codes.pop() ?? 0) - 1;
  const beginning = String.fromCodePoint(...codes);
  if (before < 0) return beginning;
  // halves of surrogate pairs are no characters
  const isHalf = before >= 0xd800 && before <= 0xdfff;
  return beginning + String.fromCodePoint(isHalf ? 0xd7ff : before) + LAST;
}

/**
 * Of a list that was asked for from `markerBefore`, what stands behind the upload at `position`, and of that as many
 * entries as `limit`. Undefined when that upload is not in it: it may have ended, or never have been.
 */
export function behindUpload(
  listing: StoreListing,
  [key = '', id = '']: StorePosition,
  limit: number,
): StoreListing | undefined {
  const ordered = inStoreOrder(listing.entries);
  const at = ordered.findIndex(entry => entry.name === key && idOf(entry) === id);
  return at < 0 ? undefined : cut(listing, ordered.slice(at + 1), limit);
}

/** The same without looking for the upload: what stands behind all uploads of its key. */
export function behindKey(listing: StoreListing, key: string, limit: number): StoreListing {
  const name = Buffer.from(key);
  const behind = inStoreOrder(listing.entries).filter(
    entry => Buffer.compare(Buffer.from(entry.name), name) > 0,
  );
  return cut(listing, behind, limit);
}

function cut(listing: StoreListing, behind: readonly ListedEntry[], limit: number): StoreListing {
  const entries = behind.slice(0, limit);
  const end = entries.at(-1);
  // the store was asked for a page of another length
  const others = listing.others.map(element =>
    element.name === 'MaxUploads' ? { ...element, children: [String(limit)] } : element,
  );
  if (behind.length <= limit || !end) return { ...listing, others, entries };
  const next = end.isCommonPrefix ? [end.name + LAST] : [end.name, idOf(end) ?? ''];
  return { ...listing, others, entries, isTruncated: true, next };
}

function idOf({ element }: ListedEntry): string | undefined {
  return textIn(element.children.filter(isElement), 'UploadId');
}
