import type { StorePosition } from '../../../s3/listing/listing-kind.ts';
import type { ListedName } from '../../../s3/listing/store-listing.ts';
import { LAST_CHARACTER } from '../../../s3/listing/store-order.ts';
import { pathKeyProblem, pathPrefixProblem } from '../../../s3/path-key.ts';
import type { Permissions } from '../../request/access.ts';
import type { Bucket } from '../../request/bucket.ts';
import type { ListingRequest } from './listing-request.ts';

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

/**
 * Where a listing continues after all keys that are hidden together with `key`: after its shortest prefix below which
 * nothing may be listed. Undefined if only `key` itself is hidden, or it is not hidden.
 *
 * So a hidden subtree costs one page at most, and the answer does not depend on how many keys it contains or where in
 * it a listing starts. Otherwise hidden names could be found by trying markers.
 */
function positionAfterHidden(permissions: Permissions, action: string, key: string): string | undefined {
  const isHidden = (length: number) => permissions.shareBelow(action, key.slice(0, length)) === 'none';
  if (!isHidden(key.length)) return undefined;
  // binary search: if a prefix is hidden, so is every longer one
  let shown = -1;
  let hidden = key.length;
  while (hidden - shown > 1) {
    const middle = (shown + hidden) >> 1;
    if (isHidden(middle)) hidden = middle;
    else shown = middle;
  }
  const beginning = key.slice(0, hidden);
  const after = beginning + LAST_CHARACTER;
  // a lone surrogate is not valid text; and the listing must not go backwards
  const isAhead = beginning.isWellFormed() && Buffer.compare(Buffer.from(after), Buffer.from(key)) > 0;
  return isAhead ? after : undefined;
}
