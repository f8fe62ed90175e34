import type { StoreRequest } from '../../backend/store.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import type { ObjectRead } from '../request/object-read.ts';

/** The gateway's own request for the object of `read`. */
export function storeRequest(
  read: ObjectRead,
  method: 'GET' | 'HEAD',
  extra: {
    readonly range?: string;
    readonly ifMatch?: string | undefined;
    readonly partNumber?: number | undefined;
  } = {},
): StoreRequest {
  const { origin, expectedBucketOwner, requestPayer } = read.variant;
  const fields = [
    http('range', extra.range),
    http('if-match', extra.ifMatch),
    http('origin', origin),
    store('expected-bucket-owner', expectedBucketOwner),
    store('request-payer', requestPayer),
    // docs/semantics.md, Decided 12: always requested, and filtered by what the client asked for.
    store('checksum-mode', 'ENABLED'),
  ];
  return {
    method,
    bucket: read.objectKey.bucket,
    key: read.objectKey.key,
    query: query({ partNumber: extra.partNumber?.toString(), versionId: read.versionId }),
    fields: fields.filter(field => field !== undefined),
  };
}

function http(name: string, value: string | undefined): HeaderField | undefined {
  return value === undefined ? undefined : { name, value, store: false };
}

function store(name: string, value: string | undefined): HeaderField | undefined {
  return value === undefined ? undefined : { name, value, store: true };
}

function query(parameters: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`)
    .join('&');
}
