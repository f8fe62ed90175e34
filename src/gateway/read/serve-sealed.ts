import { CUSTOMER_ALGORITHM, type CustomerKey } from '../../s3/customer-key.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { ClientRead } from '../request/client-read.ts';
import { passRead } from './pass-read.ts';

/** Answers a read with a customer-provided key, which goes to the store (design.md, Access; behaviours.md 164). */
export function serveSealed(client: ClientRead, key: CustomerKey, observer: ExchangeObserver): void {
  passRead(client, observer, 'sse-c', keyFields(key));
}

function keyFields({ key, keyMd5 }: CustomerKey): HeaderField[] {
  const name = 'server-side-encryption-customer';
  return [
    { name: `${name}-algorithm`, value: CUSTOMER_ALGORITHM, store: true },
    { name: `${name}-key`, value: key, store: true },
    { name: `${name}-key-md5`, value: keyMd5, store: true },
  ];
}
