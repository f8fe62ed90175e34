import { LRUCache } from 'lru-cache';
import type { ObjectKey } from '../../cache/object-key.ts';

/** For how long a part begins nothing where the rest of another was refused, and how many such names are remembered. */
const REFUSED_MS = 60_000;
const NAMES_LIMIT = 4096;

/** The same where the origin has failed: it may be well again soon. */
const FAILED_MS = 5_000;

type Name = Pick<ObjectKey, 'hash'>;

/** Names of which the rest of what was held could lately not be had: each who wants more than is held asks for itself. */
export class UnfinishedNames {
  readonly #names = new LRUCache<number, { sinceMs: number; forMs: number }>({ max: NAMES_LIMIT });

  /** The origin has refused the rest. */
  refused({ hash }: Name, nowMs: number): void {
    this.#names.set(hash, { sinceMs: nowMs, forMs: REFUSED_MS });
  }

  /** The origin has failed to give the rest, or there was no room for it. */
  failed(name: Name, nowMs: number): void {
    if (!this.has(name, nowMs)) this.#names.set(name.hash, { sinceMs: nowMs, forMs: FAILED_MS });
  }

  has({ hash }: Name, nowMs: number): boolean {
    if (this.#names.size === 0) return false;
    const { sinceMs = 0, forMs = 0 } = this.#names.get(hash) ?? {};
    return Math.abs(nowMs - sinceMs) < forMs;
  }
}
