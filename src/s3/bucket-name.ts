/** The one name in configuration and grants that stands for every bucket that is not named. */
export const EVERY_OTHER_BUCKET = '*';

/** Labels of a host name, in lower case (RFC 1123 §2.1): a name of this form stays what it is as a part of a host. */
const hostLabels = /^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/;

const ipAddress = /^\d+\.\d+\.\d+\.\d+$/;

const MIN_LENGTH = 3;
const MAX_LENGTH = 63;

/**
 * What begins or ends like this is no name of a bucket, but addresses something else: an access point, an object-lambda
 * or multi-region one (and through it a bucket of any name), a directory bucket, a table bucket, an internationalised
 * host name. (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html)
 */
const reservedPrefixes = ['xn--', 'sthree-'];
const reservedSuffixes = ['-s3alias', '--ol-s3', '.mrap', '--x-s3', '--table-s3'];

/**
 * Whether a bucket can have this name by the rules of the store as they are for new buckets, and besides is no other
 * bucket when it is made part of a host name. Older buckets may have other names; those are known by configuration only.
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
 * Where stores answer with something else than a bucket, in lower case: under such a name the gateway's signature opens
 * what administers the store, such as `/minio/admin/v3/export-iam` with the secrets of all its users.
 */
const administrationNames: ReadonlySet<string> = new Set([
  'admin', // Ceph (rgw_admin_entry)
  'minio',
  'riak-cs',
]);

/** Whether some store administers itself under this name, in the place of a bucket in a path. */
export function isAdministrationName(name: string): boolean {
  return administrationNames.has(name);
}

/**
 * Whether MinIO is administered under this path, also at hosts that name a bucket: with virtual addressing such a key is
 * no object there.
 */
export function isAdministrationKey(key: string): boolean {
  return key.startsWith('minio/admin/') || key.startsWith('minio/kms/');
}

/** Whether `<name>.<host>` is a host name that no other spelling of `name` makes as well. */
export function isVirtualHostable(name: string): boolean {
  return name.length <= MAX_LENGTH && hostLabels.test(name);
}
