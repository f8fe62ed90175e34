import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/**
 * The key that seals markers of one backend's listings, made of a secret that clients do not have (RFC 5869). From the
 * same secret comes the same key, so that markers are good at every worker, and for as long as the secret is.
 */
export function listingKeyOf(secret: string, backend: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `tidegate listing markers ${backend}`, KEY_BYTES));
}
