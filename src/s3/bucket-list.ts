import { s3Error } from './error.ts';
import { type Query, queryValue } from './query.ts';
import { escapeName, NAMESPACE } from './xml-text.ts';

/** One bucket of a list. */
export interface ListedBucket {
  readonly name: string;
  readonly region: string;
  /** When it was made (ISO 8601); undefined where only its store knows. */
  readonly created?: string;
}

/** A page of the buckets that somebody may list. */
interface BucketPage {
  readonly buckets: readonly ListedBucket[];
  /** Whom the list is for. */
  readonly ownerId: string;
  readonly prefix: string | undefined;
  /** Undefined on the last page. */
  readonly continuationToken: string | undefined;
}

/** The most that Amazon gives and takes. */
const MAX_BUCKETS = 10_000;

/**
 * The page that a query of ListBuckets asks for, of `all` the buckets
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html).
 *
 * @throws S3Error InvalidArgument for a malformed `max-buckets`
 */
export function bucketPage(all: readonly ListedBucket[], query: Query, ownerId: string): BucketPage {
  const prefix = queryValue(query, 'prefix');
  const region = queryValue(query, 'bucket-region');
  // a name that the client has seen
  const after = queryValue(query, 'continuation-token') || undefined;
  const matching = all
    .filter(({ name }) => name.startsWith(prefix ?? '') && (after === undefined || name > after))
    .filter(bucket => !region || bucket.region === region)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const buckets = matching.slice(0, maxBuckets(queryValue(query, 'max-buckets')));
  const last = matching.length > buckets.length ? buckets.at(-1)?.name : undefined;
  return { buckets, ownerId, prefix, continuationToken: last };
}

function maxBuckets(text: string | undefined): number {
  if (!text) return MAX_BUCKETS;
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_BUCKETS) return count;
  throw s3Error('InvalidArgument', {
    message: `Argument max-buckets must be an integer between 1 and ${MAX_BUCKETS}`,
    fields: [
      ['ArgumentName', 'max-buckets'],
      ['ArgumentValue', text],
    ],
  });
}

/** When a bucket was made, which only its store knows; clients do not read a list without it. */
const UNKNOWN_DATE = '1970-01-01T00:00:00.000Z';

/** The answer to ListBuckets. */
export function formatBucketPage({ buckets, ownerId, prefix, continuationToken }: BucketPage): string {
  const listed = buckets.map(
    ({ name, region, created = UNKNOWN_DATE }) =>
      `<Bucket>${element('Name', name)}${element('CreationDate', created)}${element('BucketRegion', region)}</Bucket>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<ListAllMyBucketsResult xmlns="${NAMESPACE}">`,
    `<Owner>${element('ID', ownerId)}${element('DisplayName', ownerId)}</Owner>`,
    `<Buckets>${listed.join('')}</Buckets>`,
    element('Prefix', prefix),
    element('ContinuationToken', continuationToken),
    '</ListAllMyBucketsResult>',
  ].join('');
}

function element(name: string, value: string | undefined): string {
  return value === undefined ? '' : `<${name}>${escapeName(value)}</${name}>`;
}
