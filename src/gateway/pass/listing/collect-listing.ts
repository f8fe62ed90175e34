import type { ListingRequest, StorePage } from './listing-request.ts';
import { PAGE_LIMIT } from './listing-request.ts';
import type { ListingView } from './listing-view.ts';
import type { StorePosition } from './marker-seal.ts';
import { inStoreOrder, type ListedEntry, type StoreListing } from './store-listing.ts';

/** What one request of a client may cost in requests to the store, and two more at the end of a page. */
const STORE_PAGES_LIMIT = 8;

/** A page for the client. */
export interface CollectedListing {
  /** The store's first page, for what stands beside the entries. */
  readonly first: StoreListing;
  readonly entries: readonly ListedEntry[];
  readonly isTruncated: boolean;
  readonly next: StorePosition | undefined;
}

/** Asks the store for one page. */
export type AskPage = (page: StorePage) => Promise<StoreListing>;

/**
 * Collects as many entries as the client wants of those that it may see. Pages with gaps would tell how many hidden names
 * stand where, and with a marker of the client's choice what they are; so the gaps are filled from further pages, up to
 * a limit: behind some thousands of names in a row that are hidden one by one a page is short or empty, and goes on behind
 * them. What is hidden whole is skipped (`ListingView.ahead`).
 */
export async function collectListing(
  request: ListingRequest,
  view: ListingView,
  ask: AskPage,
): Promise<CollectedListing> {
  const first = await ask({ position: request.position, limit: undefined });
  const wanted = request.wanted ?? 0;
  let page = first;
  const entries = shownOf(page);
  const isFiltered = entries.length < page.entries.length;
  for (let asked = 1; isFiltered && asked < STORE_PAGES_LIMIT; asked++) {
    const room = wanted - entries.length;
    const from = page.next;
    if (from === undefined || room <= 0) break;
    let following = await ask({ position: from, limit: PAGE_LIMIT });
    const fitting = countFitting(following, room);
    // where the page for the client ends, the store has to end one too: only it can tell where the next begins
    if (fitting < following.entries.length) {
      following = await ask({ position: from, limit: fitting });
      asked++;
    }
    const more = shownOf(following);
    if (more.length > room) break; // it lists something else now; the client's next page does too
    entries.push(...more);
    page = following;
  }
  const isFull = entries.length >= wanted && entries.length > 0;
  // that a page goes on would tell that a hidden name is behind its last
  const isEnd =
    isFull && view.hidesSome && page.next !== undefined && (await isNothingBehind(page.next, ask));
  return isEnd
    ? { first, entries, isTruncated: false, next: undefined }
    : { first, entries, isTruncated: page.isTruncated, next: page.next };
}

/** Whether no name behind `position` may be seen. Most often the next one may, so that is asked for alone first. */
async function isNothingBehind(position: StorePosition, ask: AskPage): Promise<boolean> {
  let from = position;
  for (const limit of [1, PAGE_LIMIT]) {
    const page = await ask({ position: from, limit });
    if (shownOf(page).length > 0) return false;
    if (page.next === undefined) return !page.isTruncated;
    from = page.next;
  }
  return false;
}

function shownOf({ entries }: StoreListing): ListedEntry[] {
  return entries.filter(({ isShown }) => isShown);
}

/** How many entries from the first on have no more than `room` that the caller may see. */
function countFitting({ entries }: StoreListing, room: number): number {
  let shown = 0;
  for (const [index, { isShown }] of inStoreOrder(entries).entries()) {
    if (!isShown) continue;
    shown++;
    if (shown === room) return index + 1;
  }
  return entries.length;
}
