import { s3Error } from './error.ts';
import type { KeyKind } from './path-key.ts';

/** What no id has, not even those of Amazon S3, which look like base64 and may hold slashes. */
const dotSegment = /(?:^|[/\\])\.\.?(?:[/\\]|$)|\p{Cc}/u;

/** What ids hold at stores that keep files: UUIDs, ULIDs, base64url, `null`. None has a slash. */
const plainId = /^[\w.~+=-]*$/;

/**
 * Whether a store may take `id`, such as that of an upload or of a version, for a path that leads out of where it keeps
 * what belongs to the key. versitygw joins ids of uploads to the name of a directory as they are.
 */
export function mayBePath(kind: KeyKind, id: string): boolean {
  return dotSegment.test(id) || (kind === 'path' && !plainId.test(id));
}

/**
 * Refuses an id that may be a path at a store of `kind`: grants go by the key beside it.
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
