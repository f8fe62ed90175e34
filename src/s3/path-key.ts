import { s3Error } from './error.ts';

/** How a store tells keys apart: as the bytes that they are, or as paths of which several spellings are one. */
export type KeyKind = 'exact' | 'path';

/** Whether a text is a key, or the beginning of one, which may end anywhere. */
type Whole = 'key' | 'prefix';

/** How MinIO writes the last slash of a directory marker on its disk: under this name `a/` is reached as well. */
const directoryMarkerSuffix = '__XLDIR__';

const controlCharacter = /\p{Cc}/u;

/**
 * Names, in lower case, under which stores and file systems keep something of their own inside of a bucket, most of it
 * parts and old versions of objects. They are served like objects where they are asked for by their paths.
 */
const ofStores: ReadonlySet<string> = new Set([
  ...['.sgwtmp', '.vgwlocks'], // versitygw: parts of uploads, locks
  ...['.minio', '.minio.sys', 'minio.sys.tmp'], // MinIO and its gateways
  ...['.folder', '.versions'], // NooBaa and Ceph on files: the content of `a/` is in `a/.folder`
  '.uploads', // SeaweedFS
  '.sys', // JuiceFS
  ...['.snap', '.snapshot', '.snapshots', '.zfs'], // CephFS, NetApp, GPFS, ZFS: old states of the files beside them
]);

/** NooBaa's directory for uploads ends with the id of the bucket. */
const uploadsOfNooBaa = '.noobaa-nsfs';

/** SeaweedFS keeps the versions of `a` in `a.versions`. */
const versionsSuffix = '.versions';

/**
 * Why `key` may mean something else at a store that takes keys as paths, such as another key in another spelling;
 * undefined for a plain one.
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
    message: `The store of this bucket takes keys as paths, and this one may mean something else: ${problem}.`,
    fields: [
      ['ArgumentName', argument],
      ['ArgumentValue', text],
    ],
  });
}

function isOfStores(segment: string): boolean {
  if (!segment.includes('.')) return false;
  const name = segment.toLowerCase();
  return ofStores.has(name) || name.startsWith(uploadsOfNooBaa) || name.endsWith(versionsSuffix);
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
  const own = complete.find(isOfStores);
  if (own !== undefined) return `stores keep what is their own under the name ${own}`;
  if (last?.endsWith(directoryMarkerSuffix)) return `it ends with ${directoryMarkerSuffix}`;
  return undefined;
}
