import { LRUCache } from 'lru-cache';
import type { ObjectKey } from '../../cache/object-key.ts';

/** For how long a part begins nothing where the rest of another was refused. */
const REFUSED_MS = 60_000;

/** The same where the origin has failed: it may be well again soon. */
const FAILED_MS = 5_000;

/** So many names are remembered, and so long are they together. */
const NAMES_LIMIT = 4096;
const CHARACTERS_LIMIT = 2 ** 20;

type Name = Pick<ObjectKey, 'text'>;

/** Names of which the rest of what was held could lately not be had: each who wants more than is held asks for itself. */
export class UnfinishedNames {
  readonly #names = new LRUCache<string, { sinceMs: number; forMs: number }>({
    ...{ max: NAMES_LIMIT, maxSize: CHARACTERS_LIMIT },
    sizeCalculation: (_value, { length }) => length,
  });

  /** The origin has refused the rest. */
  refused({ text }: Name, nowMs: number): void {
    this.#names.set(text, { sinceMs: nowMs, forMs: REFUSED_MS });
  }

  /** The origin has failed to give the rest, or there was no room for it. */
  failed(name: Name, nowMs: number): void {
    if (!this.has(name, nowMs)) this.#names.set(name.text, { sinceMs: nowMs, forMs: FAILED_MS });
  }

  has({ text }: Name, nowMs: number): boolean {
    if (this.#names.size === 0) return false;
    const { sinceMs = 0, forMs = 0 } = this.#names.get(text) ?? {};
    return Math.abs(nowMs - sinceMs) < forMs;
  }
}
