import {
  isRetryableStatus,
  type StoreReplyHead,
  type StoreRequest,
  type WholeReply,
} from '../../../backend/store.ts';
import { actionOf } from '../../../s3/action.ts';
import { s3Error } from '../../../s3/error.ts';
import { errorTexts } from '../../../s3/error-texts.ts';
import {
  entriesAfterKey,
  entriesAfterUpload,
  markerBefore,
} from '../../../s3/listing/entries-after-upload.ts';
import type { ListingOperation } from '../../../s3/listing/listing-kind.ts';
import { encodeName } from '../../../s3/listing/listing-xml.ts';
import {
  type EntryView,
  LISTING_LIMIT_BYTES,
  readListing,
  type StoreListing,
  sizeOfListing,
} from '../../../s3/listing/store-listing.ts';
import { InvalidReplyError, refusedBy } from '../../fill/fill-error.ts';
import { noGrant, type Permissions } from '../../request/access.ts';
import { bypassed } from '../../request/cache-status.ts';
import { DocumentJob } from '../document-job.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passedRequest } from '../passed-request.ts';
import { collectListing, type FetchPage } from './collect-listing.ts';
import { ListingRequest, PAGE_LIMIT, type StorePage } from './listing-request.ts';
import { ListingView } from './listing-view.ts';
import { keyAtClient, writeListing } from './write-listing.ts';

/**
 * Answers a listing with the store's entries, under the names that clients use and without the keys that the caller may
 * not list. When the client disconnects, the store is not asked for further pages.
 *
 * @throws S3Error AccessDenied unless the caller may list the prefix; InvalidArgument for invalid parameters of the
 * listing
 */
export function answerListing(other: OtherOperation, operation: ListingOperation): void {
  const { exchange, query, bucket, permissions } = other;
  const request = new ListingRequest(operation, query, bucket, exchange.caller);
  const action = actionOf(operation, undefined);
  if (!permissions.allows(action, request.prefix)) throw notListable(permissions, action);
  exchange.report = bypassed(exchange.method, 'listing');
  const job = new DocumentJob(other);
  const view = new ListingView(request, bucket, permissions, action);
  const pages = new StorePages(other, operation, request, view, job);
  const sent = collectListing(request, view, pages.ask)
    .then(listing => job.write(writeListing(listing, request, view, bucket)))
    .then(body => job.send({ ...pages.head, body }));
  job.finish(sent, true);
}

/**
 * Callers who may list part of the bucket are told that the prefix must be inside it. The answer does not depend on the
 * requested prefix; otherwise names in the patterns could be guessed letter by letter.
 */
function notListable(permissions: Permissions, action: string): Error {
  const isPartlyListable = permissions.shareBelow(action, '') !== 'none';
  if (!isPartlyListable) return noGrant(action);
  const message = errorTexts.listingNeedsPrefix;
  return s3Error('AccessDenied', { message, reason: `no grant for ${action} with this prefix` });
}

/** Requests the pages of one listing from the store. */
class StorePages {
  readonly #other: OtherOperation;
  readonly #operation: ListingOperation;
  readonly #request: ListingRequest;
  readonly #view: ListingView;
  readonly #job: DocumentJob;
  readonly #passed: StoreRequest;
  readonly #entries: EntryView;
  /** Of the first page. */
  #head: StoreReplyHead | undefined;

  constructor(
    other: OtherOperation,
    operation: ListingOperation,
    request: ListingRequest,
    view: ListingView,
    job: DocumentJob,
  ) {
    this.#other = other;
    this.#operation = operation;
    this.#request = request;
    this.#view = view;
    this.#job = job;
    this.#passed = passedRequest(other);
    this.#entries = {
      shows: name => view.shows(name),
      // without a bucket prefix the names are the same, and keep the store's percent-encoding
      nameFor: ({ name }, isEncoded) =>
        other.bucket.keyPrefix === '' ? undefined : encodeName(keyAtClient(name, other.bucket), isEncoded),
    };
  }

  /** The head of the answer. */
  get head(): StoreReplyHead {
    return this.#head ?? { status: 200, fields: [] };
  }

  readonly ask: FetchPage = async page => {
    const position = page.position && this.#view.ahead(page.position);
    const asked = { ...page, position };
    const reply = await this.#send(asked);
    if (reply.status === 200) return this.#read(reply);
    const isAsSent = page.limit === undefined && position === this.#request.position;
    const isClients = isAsSent && !this.#request.isSealed;
    const around =
      reply.status === 400
        ? await this.#job.keepWhile(reply, () => this.#aroundMarker(asked, isClients))
        : undefined;
    if (around) return around;
    throw isClients ? refusedBy(reply) : refusedGoingOn(reply);
  };

  /** A page of uploads whose marker the store rejected; undefined when the rejection stands. */
  async #aroundMarker(
    { position = [], limit = this.#request.entryLimit }: StorePage,
    isClients: boolean,
  ): Promise<StoreListing | undefined> {
    const [key, id] = position;
    if (this.#operation !== 'ListMultipartUploads' || !key || !id) return undefined;
    const reply = await this.#send({ position: [markerBefore(key)], limit: PAGE_LIMIT });
    if (reply.status !== 200) return undefined;
    const listing = await this.#read(reply);
    return (
      entriesAfterUpload(listing, position, limit) ??
      (isClients ? undefined : entriesAfterKey(listing, key, limit))
    );
  }

  #send(page: StorePage): Promise<WholeReply> {
    const asked = { ...this.#passed, query: this.#request.storeQuery(page) };
    return this.#job.ask(this.#other.bucket.store, asked, LISTING_LIMIT_BYTES);
  }

  #read({ status, fields, body }: WholeReply): Promise<StoreListing> {
    this.#head ??= { status, fields };
    return this.#job.read(readListing(body, this.#request.kind, this.#entries), sizeOfListing);
  }
}

/** The store's answer to a request of the gateway's own is not shown to the client: it may contain a hidden name. */
function refusedGoingOn({ status }: WholeReply): Error {
  return isRetryableStatus(status)
    ? s3Error('ServiceUnavailable')
    : new InvalidReplyError(`status ${status} for the next page of a listing`);
}
