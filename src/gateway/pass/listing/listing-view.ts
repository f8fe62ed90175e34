import { pathKeyProblem, pathPrefixProblem } from '../../../s3/path-key.ts';
import type { Permissions } from '../../request/access.ts';
import type { Bucket } from '../../request/bucket.ts';
import { behindHidden } from './hidden-run.ts';
import type { ListingRequest } from './listing-request.ts';
import type { StorePosition } from './marker-seal.ts';
import type { ListedName } from './store-listing.ts';

/** The delimiter that makes folders of keys. */
const FOLDER_DELIMITER = '/';

/** What of a listing its caller may see. */
export class ListingView {
  readonly #request: ListingRequest;
  readonly #bucket: Bucket;
  readonly #permissions: Permissions;
  readonly #action: string;

  constructor(request: ListingRequest, bucket: Bucket, permissions: Permissions, action: string) {
    this.#request = request;
    this.#bucket = bucket;
    this.#permissions = permissions;
    this.#action = action;
  }

  /** Whether there may be names of the listing that are not shown. */
  get hidesSome(): boolean {
    return this.#permissions.shareBelow(this.#action, this.#request.prefix) !== 'every';
  }

  /** What a store lists outside of what it was asked for is shown to nobody: it may be another tenant's. */
  shows({ name, isCommonPrefix }: ListedName): boolean {
    if (!name.startsWith(this.#request.prefixAtStore)) return false;
    const key = name.slice(this.#bucket.keyPrefix.length);
    return isCommonPrefix ? this.#showsCommonPrefix(key) : this.#showsKey(key);
  }

  /** Whether the name that a marker holds may be seen: a key, or a common prefix. */
  showsMarker(name: string): boolean {
    const { delimiter } = this.#request;
    const isCommonPrefix = Boolean(delimiter) && name.endsWith(delimiter ?? '');
    const key = this.#keyOf(name);
    return key !== undefined && this.#showsKey(key) && (!isCommonPrefix || this.#showsCommonPrefix(key));
  }

  /** Where to ask the store on from, for one that said `position`: behind what is hidden whole. */
  ahead(position: StorePosition): StorePosition {
    const { isByKey } = this.#request.kind;
    const name = position[isByKey ? 0 : 1];
    const key = name && this.#keyOf(name);
    const behind = key && behindHidden(this.#permissions, this.#action, key);
    if (!behind) return position;
    const moved = this.#bucket.keyPrefix + behind;
    return isByKey ? [moved] : ['', moved];
  }

  #keyOf(name: string): string | undefined {
    const { keyPrefix } = this.#bucket;
    return name.startsWith(keyPrefix) ? name.slice(keyPrefix.length) : undefined;
  }

  /** What is refused as a key is not listed: it could neither be read nor be said as a marker. */
  #showsKey(key: string): boolean {
    const isTaken =
      this.#bucket.keys === 'exact' || pathKeyProblem(this.#bucket.keyPrefix + key) === undefined;
    return isTaken && this.#permissions.allows(this.#action, key);
  }

  /**
   * A folder is shown unless every key in it is hidden. With any other delimiter a common prefix is a beginning of names
   * at the caller's choice, so that it is shown only where every key that begins so may be seen.
   */
  #showsCommonPrefix(prefix: string): boolean {
    const { keys, keyPrefix } = this.#bucket;
    if (keys === 'path' && pathPrefixProblem(keyPrefix + prefix) !== undefined) return false;
    const coverage = this.#permissions.shareBelow(this.#action, prefix);
    return coverage === 'every' || (coverage === 'some' && this.#request.delimiter === FOLDER_DELIMITER);
  }
}
