import type { Permissions } from '../access.ts';
import type { ListingRequest } from './listing-request.ts';
import type { ListedEntry } from './store-listing.ts';

/** The delimiter that makes folders of keys. */
const folderDelimiter = '/';

/** What of a listing its caller may see. */
export class ListingView {
  readonly #request: ListingRequest;
  readonly #keyPrefix: string;
  readonly #permissions: Permissions;
  readonly #action: string;

  constructor(request: ListingRequest, keyPrefix: string, permissions: Permissions, action: string) {
    this.#request = request;
    this.#keyPrefix = keyPrefix;
    this.#permissions = permissions;
    this.#action = action;
  }

  /** Whether there may be names of the listing that are not shown. */
  get hidesSome(): boolean {
    return this.#permissions.coverageBelow(this.#action, this.#request.prefix) !== 'every';
  }

  /** What a store lists outside of what it was asked for is shown to nobody: it may be another tenant's. */
  shows({ name, isCommonPrefix }: ListedEntry): boolean {
    if (!name.startsWith(this.#request.prefixAtStore)) return false;
    const key = name.slice(this.#keyPrefix.length);
    return isCommonPrefix ? this.#showsCommonPrefix(key) : this.#permissions.allows(this.#action, key);
  }

  /** Whether the name that a marker holds may be seen: a key, or a common prefix. */
  showsMarker(name: string): boolean {
    const { delimiter } = this.#request;
    const isCommonPrefix = Boolean(delimiter) && name.endsWith(delimiter ?? '');
    if (!name.startsWith(this.#keyPrefix)) return false;
    const key = name.slice(this.#keyPrefix.length);
    return this.#permissions.allows(this.#action, key) && (!isCommonPrefix || this.#showsCommonPrefix(key));
  }

  /**
   * A folder is shown unless every key in it is hidden. With any other delimiter a common prefix is a beginning of names
   * at the caller's choice, so that it is shown only where every key that begins so may be seen.
   */
  #showsCommonPrefix(prefix: string): boolean {
    const coverage = this.#permissions.coverageBelow(this.#action, prefix);
    return coverage === 'every' || (coverage === 'some' && this.#request.delimiter === folderDelimiter);
  }
}
