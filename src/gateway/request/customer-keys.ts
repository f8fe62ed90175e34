import type { Socket } from 'node:net';
import type { Bucket } from './bucket.ts';

/**
 * Whether a customer-provided key is accepted on `socket` (docs/semantics.md 155): over TLS, or where the bucket allows
 * plain HTTP.
 */
export function takesCustomerKeys({ customerKeys }: Bucket, socket: Socket): boolean {
  if ('encrypted' in socket && socket.encrypted === true) return true;
  if (customerKeys.plainHttp === 'always') return true;
  return customerKeys.plainHttp === 'loopback' && isLoopback(socket.remoteAddress);
}

function isLoopback(address: string | undefined): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address ?? '');
}
