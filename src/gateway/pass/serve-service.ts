import type { Steps } from '../../base/sliced-work.ts';
import { bucketPage, formatBucketPage, type ListedBucket } from '../../s3/bucket-list.ts';
import { EVERY_OTHER_BUCKET } from '../../s3/bucket-name.ts';
import { s3Error } from '../../s3/error.ts';
import { BUCKETS_LIMIT_BYTES, readStoreBuckets } from '../../s3/listing/store-buckets.ts';
import { detectOperation } from '../../s3/operation.ts';
import { parseQuery, type Query } from '../../s3/query.ts';
import { sendWhole } from '../reply/error-reply.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { Permissions, type Policy } from '../request/access.ts';
import { ruledFields } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import { bypassed } from '../request/cache-status.ts';
import type { LocatedService } from '../request/locate.ts';
import { DocumentJob } from './document-job.ts';
import type { Listings } from './listing/listings.ts';

type OthersAtStore = NonNullable<BucketTable['others']>;

/** A request to the service itself, which no bucket is named in. */
interface ServiceRequest extends LocatedService {
  readonly buckets: BucketTable;
  readonly policy: Policy;
  readonly observer: ExchangeObserver;
  readonly listings: Listings;
}

/**
 * Answers ListBuckets with the names that the caller may list, wholly or in part: those of the configuration, for which
 * no store is asked, and those of the store that has the others (`"*"`).
 *
 * @throws S3Error AccessDenied for an anonymous caller who may list none; MethodNotAllowed; NotImplemented;
 * InvalidArgument; TooManyRequestsError
 */
export function serveService(service: ServiceRequest): void {
  const { exchange, address, caller, buckets } = service;
  const query = parseQuery(address.query);
  const headers = { contentType: undefined, copySource: undefined };
  const operation = detectOperation(exchange.method, address, query, headers);
  exchange.operation = operation;
  if (operation === 'Unknown') throw s3Error('NotImplemented');
  const listed = buckets.configured.filter(({ name }) => mayList(service, name));
  const { others } = buckets;
  const mayListOthers = caller.kind === 'client' || mayList(service, EVERY_OTHER_BUCKET);
  if (caller.kind === 'anonymous' && listed.length === 0 && !(others && mayListOthers))
    throw s3Error('AccessDenied', { reason: 'no grant for ListBucket in any bucket' });
  exchange.report = bypassed(exchange.method, 'operation');
  if (others && mayListOthers) listWithOthers(service, query, listed, others);
  else {
    sendWhole(exchange, 200, xml, pageOf(service, query, listed), exchange, undefined);
    service.observer.sent(exchange);
  }
}

const xml = ['content-type', 'application/xml'];

function mayList({ policy, caller }: ServiceRequest, name: string): boolean {
  return new Permissions(policy, caller, name).shareBelow('ListBucket', '') !== 'none';
}

function pageOf({ caller }: ServiceRequest, query: Query, listed: readonly ListedBucket[]): Buffer {
  const ownerId = caller.kind === 'client' ? caller.accessKeyId : 'anonymous';
  return Buffer.from(formatBucketPage(bucketPage(listed, query, ownerId)));
}

function listWithOthers(
  service: ServiceRequest,
  query: Query,
  listed: readonly ListedBucket[],
  others: OthersAtStore,
): void {
  // a query that is malformed is refused before the store is asked
  pageOf(service, query, []);
  const { exchange, observer, listings } = service;
  const job = new DocumentJob({ exchange, observer, listings, bucket: undefined });
  const answer = async () => {
    const found = await othersOf(service, job, others);
    const body = pageOf(service, query, [...listed, ...found]);
    const fields = [{ name: 'content-type', value: 'application/xml', store: false }];
    await job.send({ status: 200, fields, body });
  };
  job.finish(answer(), true);
}

/** The store's buckets that are not configured. A store that does not list them to the gateway lists none. */
async function othersOf(
  service: ServiceRequest,
  job: DocumentJob,
  others: OthersAtStore,
): Promise<readonly ListedBucket[]> {
  const asked = { method: 'GET', operation: 'ListBuckets', bucket: undefined, key: undefined };
  const reply = await job.ask(
    others.store,
    { ...asked, query: '', fields: ruledFields(others, undefined, []), isResent: true },
    BUCKETS_LIMIT_BYTES,
  );
  if (reply.status >= 500 && reply.status !== 501) throw s3Error('ServiceUnavailable');
  if (reply.status !== 200) return [];
  return job.read(shownOf(service, reply.body), () => reply.body.length);
}

/** Names that are judged in one step. */
const NAMES_PER_STEP = 20;

function* shownOf(service: ServiceRequest, body: Buffer): Steps<ListedBucket[]> {
  const shown: ListedBucket[] = [];
  for (const [index, { name, created }] of (yield* readStoreBuckets(body)).entries()) {
    const bucket = service.buckets.findOther(name);
    if (bucket && mayList(service, name))
      shown.push({ name, region: bucket.region, ...(created !== undefined && { created }) });
    if (index % NAMES_PER_STEP === 0) yield;
  }
  return shown;
}
