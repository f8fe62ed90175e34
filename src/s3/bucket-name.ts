/** In configuration and grants, this name stands for every bucket that is not named. */
export const EVERY_OTHER_BUCKET = '*';

/**
 * Labels of a host name in lower case (RFC 1123 §2.1): such a name is unchanged when it becomes part of a host name.
 */
const hostLabels = /^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/;

const ipAddress = /^\d+\.\d+\.\d+\.\d+$/;

const MIN_LENGTH = 3;
const MAX_LENGTH = 63;

/**
 * Prefixes and suffixes that bucket names must not have, since they address something else: access points (also
 * object-lambda and multi-region ones, which lead to buckets of any name), directory buckets, table buckets,
 * internationalised host names. (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html)
 */
const reservedPrefixes = ['xn--', 'sthree-'];
const reservedSuffixes = ['-s3alias', '--ol-s3', '.mrap', '--x-s3', '--table-s3'];

/**
 * Whether the name is valid for new buckets by Amazon's rules, and stays the same when it becomes part of a host name.
 * Older buckets may have other names; those must be configured.
 */
export function isBucketName(name: string): boolean {
  return (
    name.length >= MIN_LENGTH &&
    isVirtualHostable(name) &&
    !ipAddress.test(name) &&
    !reservedPrefixes.some(prefix => name.startsWith(prefix)) &&
    !reservedSuffixes.some(suffix => name.endsWith(suffix))
  );
}

/**
 * Paths, in lower case, under which stores serve something other than a bucket. With the gateway's signature they would
 * give access to the administration of the store, such as `/minio/admin/v3/export-iam` with the secrets of all its
 * users.
 */
const administrationNames: ReadonlySet<string> = new Set([
  'admin', // Ceph (rgw_admin_entry)
  'minio',
  'riak-cs',
]);

/** Whether some store serves its administration under this name, where a path usually has the bucket. */
export function isAdministrationName(name: string): boolean {
  return administrationNames.has(name);
}

/**
 * Whether MinIO serves this path itself, also at hosts that name a bucket: administration, metrics, health and calls
 * between its nodes are below `/minio/`. With virtual addressing such a key is not an object.
 */
export function isAdministrationKey(key: string): boolean {
  return key === 'minio' || key.startsWith('minio/');
}

/** Whether `<name>.<host>` is a host name that corresponds to no other spelling of `name`. */
export function isVirtualHostable(name: string): boolean {
  return name.length <= MAX_LENGTH && hostLabels.test(name);
}
