import { CUSTOMER_ALGORITHM, type CustomerKey } from '../s3/customer-key.ts';
import type { HeaderField } from '../s3/dialect.ts';
import type { ClientRead } from './client-read.ts';
import type { ExchangeObserver } from './exchange-observer.ts';
import { storeRequest } from './lookup/store-request.ts';
import { passThrough } from './pass-through.ts';
import { isVisible } from './reply/visibility.ts';

/**
 * Answers a read with a customer-provided key: the client's own question goes to the store, key, range and conditions
 * included, and nothing of the answer is kept (design.md, Access; behaviours.md 164).
 */
export function serveSealed(client: ClientRead, key: CustomerKey, observer: ExchangeObserver): void {
  const { exchange, read, visibility, overrides, mayKnowMissing } = client;
  const request = storeRequest(read, read.method, { partNumber: read.partNumber });
  const asked: HeaderField[] = [...request.fields, ...conditions(client), ...keyFields(key)];
  passThrough(exchange, read.bucket, { ...request, fields: asked }, observer, {
    detail: 'sse-c',
    mayKnowMissing,
    keep: field => isVisible(field, visibility),
    overrides,
  });
}

function conditions({ fields }: ClientRead): HeaderField[] {
  const sent: readonly (readonly [string, string | undefined])[] = [
    ['range', fields.range],
    ['if-range', fields.ifRange],
    ['if-match', fields.ifMatch],
    ['if-none-match', fields.ifNoneMatch],
    ['if-modified-since', fields.ifModifiedSince],
    ['if-unmodified-since', fields.ifUnmodifiedSince],
  ];
  return sent.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value, store: false }]));
}

function keyFields({ key, keyMd5 }: CustomerKey): HeaderField[] {
  const name = 'server-side-encryption-customer';
  return [
    { name: `${name}-algorithm`, value: CUSTOMER_ALGORITHM, store: true },
    { name: `${name}-key`, value: key, store: true },
    { name: `${name}-key-md5`, value: keyMd5, store: true },
  ];
}
