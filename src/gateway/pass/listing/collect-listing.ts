import type { StorePosition } from '../../../s3/listing/listing-kind.ts';
import type { ListedName, StoreListing } from '../../../s3/listing/store-listing.ts';
import type { ListingRequest, StorePage } from './listing-request.ts';
import { PAGE_LIMIT } from './listing-request.ts';
import type { ListingView } from './listing-view.ts';

/** Most store requests for one client request; up to two more follow at the end of a page. */
const STORE_PAGES_LIMIT = 8;

/** An entry that the caller may see, as the caller gets it. */
interface ShownEntry extends ListedName {
  readonly text: Buffer;
}

/** A page for the client. */
export interface CollectedListing {
  /** The store's first page, for the elements other than entries. */
  readonly first: Omit<StoreListing, 'entries' | 'sorted'>;
  readonly shown: readonly ShownEntry[];
  readonly isTruncated: boolean;
  readonly next: StorePosition | undefined;
}

/** Requests one page from the store. */
export type FetchPage = (page: StorePage) => Promise<StoreListing>;

/**
 * Collects as many visible entries as the client wants. Short pages would reveal how many hidden names there are and
 * where, and with markers chosen by the client even which. So gaps are filled from further pages, up to a limit: after
 * some thousands of individually hidden names in a row, a page is short or empty and the next one continues after them.
 * Subtrees that are hidden completely are skipped (`ListingView.ahead`).
 */
export async function collectListing(
  request: ListingRequest,
  view: ListingView,
  ask: FetchPage,
): Promise<CollectedListing> {
  const first = await ask({ position: request.position, limit: undefined });
  const wanted = request.wanted ?? 0;
  let page = first;
  const shown = shownOf(page);
  const isFiltered = shown.length < page.entries.length;
  for (let asked = 1; isFiltered && asked < STORE_PAGES_LIMIT; asked++) {
    const room = wanted - shown.length;
    const from = page.next;
    if (from === undefined || room <= 0) break;
    let following = await ask({ position: from, limit: PAGE_LIMIT });
    const fitting = countFitting(following, room);
    // the store's page must end where the client's does: only the store can tell where the next page starts
    if (fitting < following.entries.length) {
      following = await ask({ position: from, limit: fitting });
      asked++;
    }
    const more = shownOf(following);
    if (more.length > room) break; // the listing has changed; the client's next page will show it
    shown.push(...more);
    page = following;
  }
  const isFull = shown.length >= wanted && shown.length > 0;
  // reporting a next page would reveal that a hidden name follows
  const isEnd =
    isFull && view.hidesSome && page.next !== undefined && (await isNothingBehind(page.next, ask));
  return isEnd
    ? { first, shown, isTruncated: false, next: undefined }
    : { first, shown, isTruncated: page.isTruncated, next: page.next };
}

/** Whether no visible name follows `position`. The next name is usually visible, so it is requested alone first. */
async function isNothingBehind(position: StorePosition, ask: FetchPage): Promise<boolean> {
  let from = position;
  for (const limit of [1, PAGE_LIMIT]) {
    const page = await ask({ position: from, limit });
    if (shownOf(page).length > 0) return false;
    if (page.next === undefined) return !page.isTruncated;
    from = page.next;
  }
  return false;
}

function shownOf({ entries }: StoreListing): ShownEntry[] {
  return entries.flatMap(({ name, isCommonPrefix, shown }) =>
    shown === undefined ? [] : [{ name, isCommonPrefix, text: shown }],
  );
}

/** How many leading entries contain at most `room` visible ones. */
function countFitting({ sorted }: StoreListing, room: number): number {
  let count = 0;
  for (const [index, { shown }] of sorted.entries()) {
    if (shown === undefined) continue;
    count++;
    if (count === room) return index + 1;
  }
  return sorted.length;
}
