import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** What is sealed is filled up to a multiple of this, so that its length tells little of a name in it. */
const paddedBytes = 128;

/** Markers of ours begin so; where a client may send a key as well, this tells the two apart. */
const beginning = '~tidegate~';

/** Long enough for two names of 1024 bytes, however they are escaped. */
const lengthLimit = 32 * 1024;

/** Where a listing goes on at the store: as many texts as its operation has for that. */
export type StorePosition = readonly string[];

/** Whether a marker that a client sent claims to be one of ours. */
export function isSealed(marker: string): boolean {
  return marker.startsWith(beginning);
}

/**
 * Where a listing goes on as a text that tells nothing and cannot be made up: the store's own markers name keys, which
 * the caller may not be allowed to see, and its tokens often hold one.
 *
 * @param key 32 bytes, the same in all workers.
 * @param listing what the marker is good for: only whoever names the same can open it.
 */
export function sealPosition(position: StorePosition, key: Uint8Array, listing: readonly unknown[]): string {
  const text = Buffer.from(JSON.stringify(position));
  // JSON allows space behind a value (RFC 8259 §2)
  const padded = Buffer.alloc(Math.ceil(text.length / paddedBytes) * paddedBytes, ' ');
  text.copy(padded);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(JSON.stringify(listing)));
  const sealed = Buffer.concat([nonce, cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
  return beginning + sealed.toString('base64url');
}

/** What `sealPosition` sealed with the same key for the same listing; undefined for anything else. */
export function openPosition(
  marker: string,
  key: Uint8Array,
  listing: readonly unknown[],
): StorePosition | undefined {
  if (!isSealed(marker) || marker.length > lengthLimit) return undefined;
  const sealed = Buffer.from(marker.slice(beginning.length), 'base64url');
  if (sealed.length < nonceBytes + tagBytes) return undefined;
  try {
    const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes))
      .setAAD(Buffer.from(JSON.stringify(listing)))
      .setAuthTag(sealed.subarray(-tagBytes));
    const text = Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}
