import type { StoreRequest } from '../../backend/store.ts';
import type { TraceContext } from '../../http/trace-context.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { ruledFields } from '../request/bucket.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** The gateway's own request for the object of `read`. */
export function storeRequest(
  read: Pick<ObjectRead, 'bucket' | 'objectKey' | 'versionId' | 'variant' | 'countsFor'>,
  method: 'GET' | 'HEAD',
  extra: {
    readonly range?: string | undefined;
    readonly ifMatch?: string | undefined;
    readonly partNumber?: number | undefined;
    readonly trace?: TraceContext | undefined;
  } = {},
): StoreRequest {
  const { origin, expectedBucketOwner, requestPayer } = read.variant;
  const http = { range: extra.range, 'if-match': extra.ifMatch, origin };
  const store = {
    'expected-bucket-owner': expectedBucketOwner,
    'request-payer': requestPayer,
    // docs/semantics.md, Decided 12: always requested, and filtered by what the client asked for.
    'checksum-mode': 'ENABLED',
  };
  const fields: HeaderField[] = [];
  for (const [name, value] of Object.entries(http))
    if (value !== undefined) fields.push({ name, value, store: false });
  for (const [name, value] of Object.entries(store))
    if (value !== undefined) fields.push({ name, value, store: true });
  const query: string[] = [];
  if (extra.partNumber !== undefined) query.push(`partNumber=${extra.partNumber}`);
  if (read.versionId !== undefined) query.push(`versionId=${encodeURIComponent(read.versionId)}`);
  const { bucket, key } = read.objectKey;
  const [{ trace }, { countsFor }] = [extra, read];
  const ruled = ruledFields(read.bucket, key.slice(read.bucket.keyPrefix.length), fields);
  const own = { ...(trace && { trace }), ...countsFor };
  return { method, bucket, key, query: query.join('&'), fields: ruled, ...own };
}
