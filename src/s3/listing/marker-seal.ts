import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { lengthPrefixed } from '../../base/length-prefixed.ts';
import type { StorePosition } from './listing-kind.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html */
const MAX_KEY_BYTES = 1024;

/**
 * The sealed text is padded to at least the length of the longest key and to a multiple of this. So its length reveals
 * little about a name in it, and a sealed marker is longer than any key.
 */
const PADDED_BYTES = 256;

/**
 * Start of every sealed marker. Sealed markers are longer than keys, so they are never confused with a key sent as a
 * marker.
 */
const BEGINNING = '~tidegate~';

/** Enough for three names of 1024 bytes. */
const LENGTH_LIMIT = 8 * 1024;

/**
 * The key that seals listing markers of a backend, derived from a secret that clients do not have (RFC 5869). The same
 * secret gives the same key, so markers are valid in every worker for as long as the secret is.
 */
export function listingKeyOf(secret: string, backend: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `tidegate listing markers ${backend}`, KEY_BYTES));
}

/** Whether a client's marker claims to be sealed. */
export function isSealed(marker: string): boolean {
  return marker.startsWith(BEGINNING) && Buffer.byteLength(marker) > MAX_KEY_BYTES;
}

/**
 * Encrypts and authenticates a position. The store's own markers contain keys, and its tokens often do, which the
 * caller may not be allowed to see.
 *
 * @param key 32 bytes, the same in all workers
 * @param listing identifies the listing; the marker can be opened only for the same one
 */
export function sealPosition(position: StorePosition, key: Uint8Array, listing: readonly unknown[]): string {
  const text = Buffer.from(position.map(lengthPrefixed).join(''));
  const blocks = Math.ceil(Math.max(text.length, MAX_KEY_BYTES) / PADDED_BYTES);
  const padded = Buffer.alloc(blocks * PADDED_BYTES, ' ');
  text.copy(padded);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(JSON.stringify(listing)));
  const sealed = Buffer.concat([nonce, cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
  return BEGINNING + sealed.toString('base64url');
}

/** Opens a marker sealed with the same key for the same listing; undefined for anything else. */
export function openPosition(
  marker: string,
  key: Uint8Array,
  listing: readonly unknown[],
): StorePosition | undefined {
  if (!isSealed(marker) || marker.length > LENGTH_LIMIT) return undefined;
  const sealed = Buffer.from(marker.slice(BEGINNING.length), 'base64url');
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(JSON.stringify(listing)))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    return split(text.toString());
  } catch {
    return undefined;
  }
}

/** Splits length-prefixed texts, up to the padding. */
function split(joined: string): StorePosition {
  const texts: string[] = [];
  const length = /(\d+):/y;
  for (let found = length.exec(joined); found; found = length.exec(joined)) {
    const end = length.lastIndex + Number(found[1]);
    texts.push(joined.slice(length.lastIndex, end));
    length.lastIndex = end;
  }
  return texts;
}
