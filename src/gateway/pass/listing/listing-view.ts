import { pathKeyProblem, pathPrefixProblem } from '../../../s3/path-key.ts';
import type { Permissions } from '../../request/access.ts';
import type { Bucket } from '../../request/bucket.ts';
import type { ListingRequest } from './listing-request.ts';
import type { StorePosition } from './marker-seal.ts';
import { positionAfterHidden } from './position-after-hidden.ts';
import type { ListedName } from './store-listing.ts';

/** The delimiter that groups keys into folders. */
const FOLDER_DELIMITER = '/';

/** Decides which entries of a listing its caller may see. */
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

  /** Whether the listing may contain names that are hidden. */
  get hidesSome(): boolean {
    return this.#permissions.shareBelow(this.#action, this.#request.prefix) !== 'every';
  }

  /** Entries outside the requested prefix are hidden: they may belong to another tenant. */
  shows({ name, isCommonPrefix }: ListedName): boolean {
    if (!name.startsWith(this.#request.prefixAtStore)) return false;
    const key = name.slice(this.#bucket.keyPrefix.length);
    return isCommonPrefix ? this.#showsCommonPrefix(key) : this.#showsKey(key);
  }

  /** Whether the caller may see the name in a marker: a key or a common prefix. */
  showsMarker(name: string): boolean {
    const { delimiter } = this.#request;
    const isCommonPrefix = Boolean(delimiter) && name.endsWith(delimiter ?? '');
    const key = this.#keyOf(name);
    return key !== undefined && this.#showsKey(key) && (!isCommonPrefix || this.#showsCommonPrefix(key));
  }

  /** Where to continue after `position`: skips subtrees that are hidden completely. */
  ahead(position: StorePosition): StorePosition {
    const { isByKey } = this.#request.kind;
    const name = position[isByKey ? 0 : 1];
    const key = name && this.#keyOf(name);
    const after = key && positionAfterHidden(this.#permissions, this.#action, key);
    if (!after) return position;
    const moved = this.#bucket.keyPrefix + after;
    return isByKey ? [moved] : ['', moved];
  }

  #keyOf(name: string): string | undefined {
    const { keyPrefix } = this.#bucket;
    return name.startsWith(keyPrefix) ? name.slice(keyPrefix.length) : undefined;
  }

  /** Keys that the gateway refuses are not listed: they could neither be read nor used as a marker. */
  #showsKey(key: string): boolean {
    const isTaken =
      this.#bucket.keys === 'exact' || pathKeyProblem(this.#bucket.keyPrefix + key) === undefined;
    return isTaken && this.#permissions.allows(this.#action, key);
  }

  /**
   * A folder is shown unless every key in it is hidden. With other delimiters the caller chooses where prefixes end, so
   * a common prefix is shown only if all keys below it are visible.
   */
  #showsCommonPrefix(prefix: string): boolean {
    const { keys, keyPrefix } = this.#bucket;
    if (keys === 'path' && pathPrefixProblem(keyPrefix + prefix) !== undefined) return false;
    const coverage = this.#permissions.shareBelow(this.#action, prefix);
    return coverage === 'every' || (coverage === 'some' && this.#request.delimiter === FOLDER_DELIMITER);
  }
}
