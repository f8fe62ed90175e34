import { bucketPage, formatBucketPage } from '../../s3/bucket-list.ts';
import { s3Error } from '../../s3/error.ts';
import { detectOperation } from '../../s3/operation.ts';
import { parseQuery } from '../../s3/query.ts';
import { sendWhole } from '../reply/error-reply.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { Permissions, type Policy } from '../request/access.ts';
import type { Bucket } from '../request/bucket.ts';
import { bypassed } from '../request/cache-status.ts';
import type { LocatedService } from '../request/locate.ts';

/** A request to the service itself, which no bucket is named in. */
interface ServiceRequest extends LocatedService {
  /** Those that have a name in the configuration. */
  readonly buckets: readonly Bucket[];
  readonly policy: Policy;
  readonly observer: ExchangeObserver;
}

/**
 * Answers ListBuckets with the configured names that the caller may list, wholly or in part; stores are not asked.
 * Names that `"*"` stands for are not known here.
 *
 * @throws S3Error AccessDenied for an anonymous caller who may list none; MethodNotAllowed; NotImplemented
 */
export function serveService(service: ServiceRequest): void {
  const { exchange, address, caller, buckets, policy, observer } = service;
  const query = parseQuery(address.query);
  const headers = { contentType: undefined, copySource: undefined };
  const operation = detectOperation(exchange.method, address, query, headers);
  exchange.operation = operation;
  if (operation === 'Unknown') throw s3Error('NotImplemented');
  if (operation !== 'ListBuckets') throw s3Error('AccessDenied');
  const listed = buckets.filter(
    ({ name }) => new Permissions(policy, caller, name).shareBelow('ListBucket', '') !== 'none',
  );
  if (caller.kind === 'anonymous' && listed.length === 0) throw s3Error('AccessDenied');
  const ownerId = caller.kind === 'client' ? caller.accessKeyId : 'anonymous';
  const page = formatBucketPage(bucketPage(listed, query, ownerId));
  exchange.report = bypassed('operation');
  sendWhole(exchange, 200, ['content-type', 'application/xml'], Buffer.from(page), exchange, undefined);
  observer.sent(exchange);
}
