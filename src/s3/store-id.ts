import { s3Error } from './error.ts';
import type { KeyKind } from './path-key.ts';

/** Contained in no valid id, not even in those of Amazon S3, which look like base64 and may contain slashes. */
const dotSegment = /(?:^|[/\\])\.\.?(?:[/\\]|$)|\p{Cc}/u;

/** The characters of ids at stores that keep files: UUIDs, ULIDs, base64url, `null`. None contains a slash. */
const plainId = /^[\w.~+=-]*$/;

/**
 * Whether a store may treat `id`, such as an upload or version id, as a path that leaves the directory of the key.
 * versitygw appends upload ids to a directory name unchecked.
 */
export function mayBePath(kind: KeyKind, id: string): boolean {
  return dotSegment.test(id) || (kind === 'path' && !plainId.test(id));
}

/**
 * Refuses an id that may be a path at a store of `kind`: grants are checked for the key, not for the id.
 *
 * @throws S3Error InvalidArgument (400)
 */
export function requireId(kind: KeyKind, id: string, argument: string): void {
  if (!mayBePath(kind, id)) return;
  throw s3Error('InvalidArgument', {
    message: `The value of ${argument} is not one that a store gives out.`,
    fields: [
      ['ArgumentName', argument],
      ['ArgumentValue', id],
    ],
  });
}
