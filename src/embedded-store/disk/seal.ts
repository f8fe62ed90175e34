import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Transform } from 'node:stream';

const CIPHER = 'aes-256-ctr';
const BLOCK_BYTES = 16;

/** The length of a customer-provided key, in bytes. */
export const SEAL_KEY_BYTES = 32;

/** Encrypts a blob. The nonce is stored with it; the key is not. */
export function sealing(key: Uint8Array): { readonly nonce: Buffer; readonly cipher: Transform & Updating } {
  const nonce = randomBytes(BLOCK_BYTES);
  return { nonce, cipher: createCipheriv(CIPHER, key, nonce) };
}

interface Updating {
  update(bytes: Uint8Array): Buffer;
}

/**
 * Decrypts a blob from `offset` on. Counter mode can start anywhere: the counter starts at the block of the offset, and
 * the bytes of that block before the offset are dropped.
 */
export function unsealing(key: Uint8Array, nonce: Uint8Array, offset: number): Transform {
  const counter = (BigInt(`0x${Buffer.from(nonce).toString('hex')}`) + BigInt(offset) / 16n) % (1n << 128n);
  const start = Buffer.from(counter.toString(16).padStart(BLOCK_BYTES * 2, '0'), 'hex');
  const decipher = createDecipheriv(CIPHER, key, start);
  decipher.update(Buffer.alloc(offset % BLOCK_BYTES));
  return decipher;
}

/** Stored to recognise a key; the key cannot be derived from it. */
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
