import type { IncomingMessage } from 'node:http';
import { originOf } from '../../transport/peer.ts';
import type { Bucket } from './bucket.ts';

/**
 * Whether a customer-provided key is accepted with `request` (docs/semantics.md 155): over TLS, which may end at a
 * trusted proxy, or if the bucket allows plain HTTP.
 */
export function takesCustomerKeys({ customerKeys }: Bucket, request: IncomingMessage): boolean {
  if (customerKeys.plainHttp === 'always') return true;
  const { isSecure, isLoopback } = originOf(request);
  return isSecure || (customerKeys.plainHttp === 'loopback' && isLoopback);
}
