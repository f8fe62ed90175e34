import { s3Error } from './error.ts';

/** How a store distinguishes keys: byte by byte, or as paths that may have several spellings. */
export type KeyKind = 'exact' | 'path';

/** Whether a text is a complete key or a prefix, which may end anywhere. */
type Whole = 'key' | 'prefix';

/**
 * How MinIO encodes the trailing slash of a directory marker on disk: `a/` can also be read under this name
 * (minio/minio cmd/globals.go, cmd/utils.go).
 */
const DIRECTORY_MARKER_SUFFIX = '__XLDIR__';

const controlCharacter = /\p{Cc}/u;

/**
 * Names, in lower case, under which stores and file systems keep internal files within a bucket, mostly parts and old
 * versions of objects. The stores serve them like objects when asked for by path. Garage keeps none
 * (deuxfleurs-org/garage src/model/s3/mpu_table.rs); MinIO keeps them beside the buckets.
 */
const ofStores: ReadonlySet<string> = new Set([
  '.sgwtmp', // versitygw, uploads: versity/versitygw backend/posix/posix.go, MetaTmpDir
  '.minio.sys', // MinIO, and the single bucket of a JuiceFS gateway: minio/minio cmd/object-api-utils.go, juicedata/juicefs pkg/gateway/gateway.go
  ...['.minio', 'minio.sys.tmp'], // gateways derived from MinIO: cmd/gateway-interface.go, cmd/gateway/s3/gateway-s3-sse.go, until they were removed in 2022
  '.sys', // JuiceFS, uploads: juicedata/juicefs pkg/gateway/gateway.go, metaBucket
  '.uploads', // SeaweedFS: seaweedfs/seaweedfs weed/s3api/s3_constants/s3_actions.go, MultipartUploadsFolder
  ...['.folder', '.versions'], // NooBaa, content of directory markers, and versions: noobaa/noobaa-core config.js, src/sdk/namespace_fs.js
  '.snap', // CephFS, snapshots of a directory: docs.ceph.com/en/latest/cephfs/snapshots
  ...['.snapshot', '.snapshots', '.zfs'], // snapshots of ONTAP and OneFS, of Storage Scale (mmsnapdir) and of OpenZFS (zfsprops, snapdir)
]);

/** Prefixes of such names. */
const beginningsOfStores: readonly string[] = [
  '.noobaa-nsfs', // NooBaa, uploads, with the id of the bucket behind it: noobaa/noobaa-core config.js, NSFS_TEMP_DIR_NAME
  '.multipart_', // Ceph's gateway on files, uploads: ceph/ceph src/rgw/driver/posix/rgw_sal_posix.cc, bucket_fname
];

/** SeaweedFS keeps the versions of `a` in `a.versions`: s3_actions.go, VersionsFolder. */
const VERSIONS_SUFFIX = '.versions';

/** versitygw writes the new content of `a` as `.a.sgwtmp.<number>` beside it: backend/posix/with_otmpfile.go. */
const REPLACING = '.sgwtmp.';

/**
 * Files at the root of a JuiceFS volume, which may be a bucket; the last one contains deleted files: juicedata/juicefs
 * pkg/vfs/internal.go, pkg/fs/fs.go.
 */
const filesOfVolumes: ReadonlySet<string> = new Set([
  '.accesslog',
  '.config',
  '.control',
  '.stats',
  '.trash',
]);
const TRASH_OF_VOLUMES = '.trash';

/**
 * Why a store that treats keys as paths may take `key` for something else, such as another spelling of another key;
 * undefined when there is no such risk.
 *
 * Such stores normalise keys (docs/semantics.md 223 and 225) or pass them to a file system. One trailing slash is
 * safe: it makes a separate key, a directory marker, at these stores too (docs/semantics.md 224).
 */
export function pathKeyProblem(key: string): string | undefined {
  return problemOf(key, 'key');
}

/** The same for a prefix of keys, such as that of a listing; the empty prefix is allowed. */
export function pathPrefixProblem(prefix: string): string | undefined {
  return prefix === '' ? undefined : problemOf(prefix, 'prefix');
}

/** How keys of a bucket are mapped at its store. */
interface KeysAtStore {
  readonly keys: KeyKind;
  /** Prepended to every key. */
  readonly keyPrefix: string;
}

/**
 * Refuses a key (for `whole: 'prefix'`, a prefix of keys) that the store may take for another one; the bucket's own
 * prefix is included in the check. Grants, cache and purges use the key as sent, so they would not apply to the object
 * that the store reads.
 *
 * @throws S3Error InvalidArgument (400, like compatible stores: docs/semantics.md 225)
 */
export function requirePlain(
  { keys, keyPrefix }: KeysAtStore,
  text: string,
  argument: string,
  whole: Whole = 'key',
): void {
  if (keys === 'exact') return;
  const atStore = keyPrefix + text;
  const problem = whole === 'key' ? pathKeyProblem(atStore) : pathPrefixProblem(atStore);
  if (problem === undefined) return;
  throw s3Error('InvalidArgument', {
    message: `The store of this bucket treats keys as paths and may take this one for another: ${problem}.`,
    fields: [
      ['ArgumentName', argument],
      ['ArgumentValue', text],
    ],
  });
}

function isOfStores(segment: string): boolean {
  if (!segment.includes('.')) return false;
  const name = segment.toLowerCase();
  if (ofStores.has(name) || name.endsWith(VERSIONS_SUFFIX) || name.includes(REPLACING)) return true;
  return beginningsOfStores.some(beginning => name.startsWith(beginning));
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
  const own = complete.find(isOfStores) ?? ofVolume(segments, whole);
  if (own !== undefined) return `stores keep internal files under the name ${own}`;
  if (last?.endsWith(DIRECTORY_MARKER_SUFFIX)) return `it ends with ${DIRECTORY_MARKER_SUFFIX}`;
  return undefined;
}

function ofVolume(segments: readonly string[], whole: Whole): string | undefined {
  const first = segments[0]?.toLowerCase() ?? '';
  const isAlone = segments.length === 1 || (segments.length === 2 && segments[1] === '');
  if (whole === 'key' && isAlone) return filesOfVolumes.has(first) ? first : undefined;
  // without a slash, a prefix may go on to another name
  return segments.length > 1 && first === TRASH_OF_VOLUMES ? first : undefined;
}
