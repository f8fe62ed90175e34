import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Transform } from 'node:stream';

const CIPHER = 'aes-256-ctr';
const BLOCK_BYTES = 16;

/** Bytes of a customer-provided key. */
export const SEAL_KEY_BYTES = 32;

/** Enciphers a blob from its first byte. The nonce is kept beside it; the key is not. */
export function sealing(key: Uint8Array): { readonly nonce: Buffer; readonly cipher: Transform & Updating } {
  const nonce = randomBytes(BLOCK_BYTES);
  return { nonce, cipher: createCipheriv(CIPHER, key, nonce) };
}

interface Updating {
  update(bytes: Uint8Array): Buffer;
}

/**
 * Deciphers the bytes of a blob from `offset` on. Counter mode opens anywhere: the counter starts at the offset's
 * block, and what lies before the offset within that block is thrown away.
 */
export function unsealing(key: Uint8Array, nonce: Uint8Array, offset: number): Transform {
  const counter = (BigInt(`0x${Buffer.from(nonce).toString('hex')}`) + BigInt(offset) / 16n) % (1n << 128n);
  const start = Buffer.from(counter.toString(16).padStart(BLOCK_BYTES * 2, '0'), 'hex');
  const decipher = createDecipheriv(CIPHER, key, start);
  decipher.update(Buffer.alloc(offset % BLOCK_BYTES));
  return decipher;
}

/** What is stored to recognise a key: useless for finding it. */
export interface KeyProof {
  readonly salt: string;
  readonly mac: string;
}

export function proofOf(key: Uint8Array, salt: string = randomBytes(32).toString('base64')): KeyProof {
  return { salt, mac: createHmac('sha256', Buffer.from(salt, 'base64')).update(key).digest('base64') };
}

export function isProven(key: Uint8Array, proof: KeyProof): boolean {
  return timingSafeEqual(Buffer.from(proofOf(key, proof.salt).mac), Buffer.from(proof.mac));
}
