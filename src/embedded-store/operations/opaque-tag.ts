import { randomBytes } from 'node:crypto';

/** An entity tag unrelated to the bytes, as encrypted objects have (docs/semantics.md 156). */
export function opaqueTag(): string {
  return randomBytes(16).toString('hex');
}
