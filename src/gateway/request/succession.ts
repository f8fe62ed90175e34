import type { MovedBuckets } from '../../cache/open-writes.ts';

/**
 * What has become of the buckets of one configuration since. A request keeps the bucket that it began with: what it asks for
 * after a reload has moved that, it asks where, or as, it must not be asked any more.
 */
export class Succession {
  #moved: MovedBuckets = new Set();
  #next: Succession | undefined;

  /** @param moved the buckets that clients find somewhere else in the next configuration, or that are asked for otherwise */
  replacedBy(next: Succession, moved: MovedBuckets): void {
    this.#moved = moved;
    this.#next = next;
  }

  /** Whether any configuration since has moved the bucket of this slot. */
  hasMoved(bucketSlot: number): boolean {
    for (let one: Succession | undefined = this; one; one = one.#next)
      if (one.#moved === 'every' || one.#moved.has(bucketSlot)) return true;
    return false;
  }
}
