import { sendAndCollect, type WholeReply } from '../../backend/store.ts';
import { actionOf } from '../../s3/action.ts';
import { s3Error } from '../../s3/error.ts';
import { errorTexts } from '../../s3/error-texts.ts';
import type { Permissions } from '../access.ts';
import { isBusy, RefusedByStoreError, WrongAnswerError } from '../fill/fill-error.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passedRequest } from '../passed-request.ts';
import { bypassed } from '../reply/cache-status.ts';
import { replyAsStored, replyRefusal } from '../reply/refusal-reply.ts';
import { type CollectedListing, collectListing } from './collect-listing.ts';
import type { ListingOperation } from './listing-kind.ts';
import { ListingRequest, type StorePage } from './listing-request.ts';
import { ListingView } from './listing-view.ts';
import { listingLimitBytes, readListing } from './store-listing.ts';
import { writeListing } from './write-listing.ts';

/**
 * Answers a listing with what the store lists, in the names that clients use, and without the keys that the caller may
 * not list. The store is asked no further when the client leaves.
 *
 * @throws S3Error AccessDenied unless the caller may list the prefix; InvalidArgument for what the listing cannot be
 *   asked with.
 */
export function listKeys(other: OtherOperation, operation: ListingOperation): void {
  const { exchange, query, bucket, permissions, observer, pageTurns } = other;
  const request = new ListingRequest(operation, query, bucket, exchange.caller);
  const action = actionOf(operation, undefined);
  if (!permissions.allows(action, request.prefix)) throw notListable(permissions, action);
  exchange.report = bypassed('listing');
  observer.waitsForStore(exchange);
  const view = new ListingView(request, bucket, permissions, action);
  const passed = passedRequest(other);
  const left = new AbortController();
  const leave = () => left.abort();
  exchange.response.once('close', leave);
  let firstReply: WholeReply | undefined;
  const ask = async (page: StorePage) => {
    const position = page.position && view.ahead(page.position);
    const asked = { ...passed, query: request.storeQuery({ ...page, position }) };
    const reply = await sendAndCollect(bucket.store, asked, listingLimitBytes, left.signal);
    const isClients = page.limit === undefined && position === request.position && !request.isSealed;
    if (reply.status !== 200) throw isClients ? new RefusedByStoreError(reply) : refusedGoingOn(reply);
    firstReply ??= reply;
    return pageTurns.take(
      readListing(reply.body, request.kind, name => view.shows(name)),
      left.signal,
    );
  };
  const end = () => {
    exchange.response.off('close', leave);
    observer.sent(exchange);
  };
  const reply = async (listing: CollectedListing) => {
    const head = firstReply ?? { status: 200, fields: [] };
    const body = await pageTurns.take(writeListing(listing, request, view, bucket), left.signal);
    replyAsStored(exchange, { ...head, body });
    end();
  };
  const fail = (error: unknown) => {
    if (left.signal.aborted) exchange.hasClientLeft = true;
    else if (error instanceof RefusedByStoreError) replyRefusal(exchange, bucket, error.reply, true);
    else throw error;
    end();
  };
  collectListing(request, view, ask)
    .then(reply)
    .catch(fail)
    .catch(error => {
      exchange.response.off('close', leave);
      exchange.refuse(error);
    });
}

/**
 * Whoever may list something of the bucket is told that the prefix has to be inside of it. That does not depend on the
 * prefix that was asked for: else names in the patterns could be guessed letter by letter.
 */
function notListable(permissions: Permissions, action: string): Error {
  const isPartlyListable = permissions.coverageBelow(action, '') !== 'none';
  return s3Error('AccessDenied', isPartlyListable ? { message: errorTexts.listingNeedsPrefix } : {});
}

/** What a store says to a question of the gateway's own is not for the client: it may quote a name that is hidden. */
function refusedGoingOn({ status }: WholeReply): Error {
  return isBusy(status)
    ? s3Error('ServiceUnavailable')
    : new WrongAnswerError(`status ${status} to the next page of a listing`);
}
