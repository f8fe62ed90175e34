import type { Permissions } from '../../request/access.ts';

/** The last code point of all: what begins with a prefix stands before the prefix with this behind it. */
const LAST = '\u{10ffff}';

/**
 * Where a listing goes on behind all keys that are hidden together with `key`: behind the shortest beginning of it below
 * which nothing may be listed. Undefined where `key` is hidden alone, or not at all.
 *
 * So what is hidden whole costs one page at most, and an answer does not depend on how many keys are in it or on where
 * among them it begins: else the names could be found out by trying markers.
 */
export function behindHidden(permissions: Permissions, action: string, key: string): string | undefined {
  const isHidden = (length: number) => permissions.shareBelow(action, key.slice(0, length)) === 'none';
  if (!isHidden(key.length)) return undefined;
  // a longer beginning of what is hidden is hidden too
  let shown = -1;
  let hidden = key.length;
  while (hidden - shown > 1) {
    const middle = (shown + hidden) >> 1;
    if (isHidden(middle)) hidden = middle;
    else shown = middle;
  }
  const beginning = key.slice(0, hidden);
  const behind = beginning + LAST;
  // half of a surrogate pair is no text, and what stands behind the end already stays there
  const isAhead = beginning.isWellFormed() && Buffer.compare(Buffer.from(behind), Buffer.from(key)) > 0;
  return isAhead ? behind : undefined;
}
