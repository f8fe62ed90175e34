import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { lengthPrefixed } from '../../../base/length-prefixed.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html */
const MAX_KEY_BYTES = 1024;

/**
 * What is sealed is filled up to at least the length of the longest key, and to a multiple of this: its length tells
 * little of a name in it, and no key is as long as a sealed marker.
 */
const PADDED_BYTES = 256;

/** Markers of ours begin so, and are longer than keys, so that where a client may send a key as well, the two are told apart. */
const BEGINNING = '~tidegate~';

/** Long enough for three names of 1024 bytes. */
const LENGTH_LIMIT = 8 * 1024;

/** Where a listing goes on at the store: as many texts as its operation has for that. */
export type StorePosition = readonly string[];

/**
 * The key that seals markers of one backend's listings, made of a secret that clients do not have (RFC 5869). From the
 * same secret comes the same key, so that markers are good at every worker, and for as long as the secret is.
 */
export function listingKeyOf(secret: string, backend: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `tidegate listing markers ${backend}`, KEY_BYTES));
}

/** Whether a marker that a client sent claims to be one of ours. */
export function isSealed(marker: string): boolean {
  return marker.startsWith(BEGINNING) && Buffer.byteLength(marker) > MAX_KEY_BYTES;
}

/**
 * Where a listing goes on as a text that tells nothing and cannot be made up: the store's own markers name keys, which
 * the caller may not be allowed to see, and its tokens often hold one.
 *
 * @param key 32 bytes, the same in all workers.
 * @param listing what the marker is good for: only whoever names the same can open it.
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

/** What `sealPosition` sealed with the same key for the same listing; undefined for anything else. */
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

/** The texts that were joined, each behind its length, until the filling begins. */
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
