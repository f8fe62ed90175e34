import { s3Error } from '../../../s3/error.ts';
import {
  type ListingKind,
  type ListingOperation,
  listingKinds,
  type StorePosition,
} from '../../../s3/listing/listing-kind.ts';
import { isSealed, openPosition, sealPosition } from '../../../s3/listing/marker-seal.ts';
import { formatQuery, knownParameters } from '../../../s3/operation-parameters.ts';
import { requirePlain } from '../../../s3/path-key.ts';
import { type Query, queryValue } from '../../../s3/query.ts';
import type { Bucket } from '../../request/bucket.ts';

/** Most entries on a page of the store. */
export const PAGE_LIMIT = 1000;

/** A page to request from the store. */
export interface StorePage {
  /** Undefined: from the start. For ListObjectsV2: the token, and the name to continue after if there is none. */
  readonly position: StorePosition | undefined;
  /** Undefined: as many as the client asked for. */
  readonly limit: number | undefined;
}

/** A client's listing request, and its translation for the store. */
export class ListingRequest {
  readonly kind: ListingKind;
  readonly prefix: string;
  readonly delimiter: string | undefined;
  readonly startAfter: string | undefined;
  /** The position that the client sent, in the order of the kind's components. */
  readonly sentPosition: readonly (string | undefined)[];
  /** The same position at the store. */
  readonly position: StorePosition | undefined;
  /** Whether the client sent a sealed marker. */
  readonly isSealed: boolean;
  /** Entries that the client wants; undefined for a malformed number, which the store rejects in its own words. */
  readonly wanted: number | undefined;
  readonly #query: Query;
  readonly #bucket: Bucket;
  readonly #listing: readonly unknown[];

  /**
   * @param caller owner of the markers: an access key id, or undefined for anonymous callers
   * @throws S3Error InvalidArgument for repeated parameters, for a marker of another listing, and for a prefix or
   * marker that the store may interpret as another one
   */
  constructor(operation: ListingOperation, query: Query, bucket: Bucket, caller: string | undefined) {
    this.kind = listingKinds[operation];
    this.#query = knownParameters(operation, query, bucket.keys);
    this.#bucket = bucket;
    this.prefix = this.#plain('prefix') ?? '';
    this.delimiter = queryValue(this.#query, 'delimiter');
    this.startAfter = this.#plain('start-after');
    this.wanted = wantedEntries(queryValue(this.#query, this.kind.limit));
    this.#listing = [operation, bucket.name, this.prefix, this.delimiter ?? '', caller ?? ''];
    this.sentPosition = this.kind.position.map(({ parameter }) => queryValue(this.#query, parameter));
    const [sent = ''] = this.sentPosition;
    this.isSealed = isSealed(sent);
    this.position = this.#readPosition();
  }

  /** The prefix of the store's keys that are listed. */
  get prefixAtStore(): string {
    return this.#bucket.keyPrefix + this.prefix;
  }

  /** How many entries a page has when the store is asked with the client's own limit. */
  get entryLimit(): number {
    return this.wanted ?? PAGE_LIMIT;
  }

  seal(position: StorePosition): string {
    return sealPosition(position, this.#bucket.listingKey, this.#listing);
  }

  /** The query for `page`. The bucket's prefix is added to all names, so nothing outside of it can be listed. */
  storeQuery({ position, limit }: StorePage): string {
    const { keyPrefix } = this.#bucket;
    const set = new Map<string, string | undefined>();
    if (keyPrefix !== '') set.set('prefix', this.prefixAtStore);
    // a token takes precedence
    const startAfter = this.kind.isByKey || position?.[0] ? undefined : position?.[1];
    if (this.startAfter || startAfter) set.set('start-after', startAfter);
    const asked = limit ?? this.#ownLimit;
    if (asked !== undefined) set.set(this.kind.limit, String(asked));
    for (const [index, { parameter }] of this.kind.position.entries()) set.set(parameter, position?.[index]);
    const kept = this.#query.filter(({ name }) => !set.has(name));
    const added = Array.from(set, ([name, value]) => ({ name, value: value ?? '' }));
    return formatQuery([...kept, ...added.filter(({ value }) => value !== '')]);
  }

  /**
   * The limit in place of the client's: stores differ in what they do without one, and some return more than a page.
   * Undefined where the client's own is passed. Stores refuse 2^31 and more in their own words.
   */
  get #ownLimit(): number | undefined {
    const sent = queryValue(this.#query, this.kind.limit);
    const isOwn = sent === undefined || (this.wanted === PAGE_LIMIT && Number(sent) < 2 ** 31);
    return isOwn && sent !== '' ? PAGE_LIMIT : undefined;
  }

  #plain(name: string): string | undefined {
    const value = queryValue(this.#query, name);
    requirePlain(this.#bucket, value ?? '', name, 'prefix');
    return value;
  }

  #readPosition(): StorePosition | undefined {
    const [{ parameter }, ...others] = this.kind.position;
    const [sent] = this.sentPosition;
    const { keyPrefix } = this.#bucket;
    if (sent === undefined && this.startAfter) return ['', keyPrefix + this.startAfter];
    if (sent === undefined || (sent === '' && this.kind.isByKey)) return undefined;
    if (this.kind.isByKey && !this.isSealed) {
      const marker = keyPrefix + (this.#plain(parameter) ?? '');
      return [marker, ...others.map((_, index) => this.sentPosition[index + 1] ?? '')];
    }
    const position = openPosition(sent, this.#bucket.listingKey, this.#listing);
    if (position) return position;
    throw s3Error('InvalidArgument', {
      message: this.kind.isByKey ? 'The marker is not one of this listing.' : TOKEN_INCORRECT,
      fields: [
        ['ArgumentName', parameter],
        ['ArgumentValue', sent],
      ],
    });
  }
}

/** Amazon's message. */
const TOKEN_INCORRECT = 'The continuation token provided is incorrect';

function wantedEntries(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return PAGE_LIMIT;
  return /^\d{1,10}$/.test(text) ? Math.min(Number(text), PAGE_LIMIT) : undefined;
}
