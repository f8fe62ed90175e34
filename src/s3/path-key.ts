import { s3Error } from './error.ts';

/** How a store tells keys apart: as the bytes that they are, or as paths of which several spellings are one. */
export type KeyKind = 'exact' | 'path';

/** Whether a text is a key, or the beginning of one, which may end anywhere. */
type Whole = 'key' | 'prefix';

/** How MinIO writes the last slash of a directory marker on its disk: under this name `a/` is reached as well. */
const directoryMarkerSuffix = '__XLDIR__';

const controlCharacter = /\p{Cc}/u;

/**
 * Why `key` may be another spelling of some other key at a store that takes keys as paths; undefined for a plain one.
 *
 * Such stores normalise (behaviours.md 223 and 225) or hand keys to a file system. One slash at the end makes a key of
 * its own, a directory marker, also at these stores (behaviours.md 224).
 */
export function pathKeyProblem(key: string): string | undefined {
  return problemOf(key, 'key');
}

/** The same for the beginning of keys, such as the prefix of a listing; the empty one is that of all keys. */
export function pathPrefixProblem(prefix: string): string | undefined {
  return prefix === '' ? undefined : problemOf(prefix, 'prefix');
}

/**
 * Refuses a key, or with `whole` a beginning of keys, that a store of `kind` may take for another one. Grants, cache and
 * purges go by the key as it was sent, so they would miss the object that the store reads.
 *
 * @throws S3Error InvalidArgument (400, as clones answer: behaviours.md 225)
 */
export function requirePlain(kind: KeyKind, text: string, argument: string, whole: Whole = 'key'): void {
  if (kind === 'exact') return;
  const problem = whole === 'key' ? pathKeyProblem(text) : pathPrefixProblem(text);
  if (problem === undefined) return;
  throw s3Error('InvalidArgument', {
    message: `The store of this bucket takes keys as paths, and this one may mean another: ${problem}.`,
    fields: [
      ['ArgumentName', argument],
      ['ArgumentValue', text],
    ],
  });
}

function problemOf(text: string, whole: Whole): string | undefined {
  if (controlCharacter.test(text)) return 'it has a control character';
  if (text.includes('\\')) return 'it has a backslash, which some file systems take for a slash';
  if (text.startsWith('/')) return 'it begins with a slash';
  if (text.includes('//')) return 'it has an empty segment';
  const segments = text.split('/');
  const last = segments.at(-1);
  if (segments.includes('..')) return 'it has the segment ".."';
  const complete = whole === 'key' ? segments : segments.slice(0, -1);
  if (complete.includes('.')) return 'it has the segment "."';
  if (last?.endsWith(directoryMarkerSuffix)) return `it ends with ${directoryMarkerSuffix}`;
  return undefined;
}
