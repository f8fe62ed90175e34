import { randomBytes } from 'node:crypto';

/**
 * An entity tag that tells nothing of the bytes, as objects have that are encrypted by themselves
 * (docs/semantics.md 156).
 */
export function opaqueTag(): string {
  return randomBytes(16).toString('hex');
}
