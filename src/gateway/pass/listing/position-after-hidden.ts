import type { Permissions } from '../../request/access.ts';

/** The highest code point: everything that starts with a prefix sorts before the prefix followed by it. */
const LAST = '\u{10ffff}';

/**
 * Where a listing continues after all keys that are hidden together with `key`: after its shortest prefix below which
 * nothing may be listed. Undefined if only `key` itself is hidden, or it is not hidden.
 *
 * So a hidden subtree costs one page at most, and the answer does not depend on how many keys it contains or where in
 * it a listing starts. Otherwise hidden names could be found by trying markers.
 */
export function positionAfterHidden(
  permissions: Permissions,
  action: string,
  key: string,
): string | undefined {
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
  const after = beginning + LAST;
  // a lone surrogate is not valid text; and the listing must not go backwards
  const isAhead = beginning.isWellFormed() && Buffer.compare(Buffer.from(after), Buffer.from(key)) > 0;
  return isAhead ? after : undefined;
}
