import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { lengthPrefixed } from '../../../base/length-prefixed.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html */
const maxKeyBytes = 1024;

/**
 * What is sealed is filled up to at least the length of the longest key, and to a multiple of this: its length tells
 * little of a name in it, and no key is as long as a sealed marker.
 */
const paddedBytes = 256;

/** Markers of ours begin so, and are longer than keys, so that where a client may send a key as well, the two are told apart. */
const beginning = '~tidegate~';

/** Long enough for three names of 1024 bytes. */
const lengthLimit = 8 * 1024;

/** Where a listing goes on at the store: as many texts as its operation has for that. */
export type StorePosition = readonly string[];

/** Whether a marker that a client sent claims to be one of ours. */
export function isSealed(marker: string): boolean {
  return marker.startsWith(beginning) && Buffer.byteLength(marker) > maxKeyBytes;
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
  const blocks = Math.ceil(Math.max(text.length, maxKeyBytes) / paddedBytes);
  const padded = Buffer.alloc(blocks * paddedBytes, ' ');
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
