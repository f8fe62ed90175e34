import type { ObjectKey } from '../../cache/object-key.ts';
import type { MovedBuckets } from '../../cache/open-writes.ts';
import type { Policy } from './access.ts';
import type { RateLimits, RequestLimits } from './admission.ts';
import type { AuthenticateForm } from './authenticator.ts';
import { type Bucket, placeText } from './bucket.ts';
import type { BucketTable } from './bucket-table.ts';
import type { LocateParts } from './locate.ts';

/** What the configuration says about requests. A reload replaces it as a whole; a request keeps that of its start. */
export interface ServiceConfiguration extends LocateParts {
  readonly authenticateForm: AuthenticateForm;
  readonly policy: Policy;
  readonly limits: RequestLimits & RateLimits;
}

/** Replaced configurations that running requests of other workers may still refer to. */
const KEPT = 3;

/** The configuration in force, and those just before it or about to follow. */
export class Configurations {
  #current: ServiceConfiguration;
  /** Newest first; includes one that is prepared. */
  #known: readonly ServiceConfiguration[];

  constructor(first: ServiceConfiguration) {
    this.#current = first;
    this.#known = [first];
  }

  get current(): ServiceConfiguration {
    return this.#current;
  }

  /** Makes `next` known: from now on other workers may ask for objects of its buckets. */
  prepare(next: ServiceConfiguration): void {
    const inUse = this.#known.filter(known => known === this.#current || this.#wasReplaced(known));
    this.#known = [next, ...inUse].slice(0, 1 + KEPT);
  }

  /**
   * What was prepared last is in force from now on.
   *
   * @returns the buckets that clients find somewhere else than before, or not any more
   */
  apply(): MovedBuckets {
    const before = this.#current;
    this.#current = this.#known[0] ?? before;
    if (before === this.#current) return new Set();
    const moved = movedBuckets(before.buckets, this.#current.buckets);
    before.buckets.succession.replacedBy(this.#current.buckets.succession, moved);
    return moved;
  }

  /**
   * The bucket of this name that has its objects where `objectKey` is; undefined when no configuration has one.
   *
   * @param place which one it has to be, see `placeText`; left out: the newest
   */
  bucketOf(name: string, objectKey: ObjectKey, place?: string): Bucket | undefined {
    for (const { buckets } of this.#known) {
      const found = buckets
        .placesOf(name)
        .find(
          bucket =>
            bucket.store.identity === objectKey.backend &&
            bucket.bucketAtStore === objectKey.bucket &&
            (place === undefined || place === placeText(bucket)),
        );
      if (found) return found;
    }
    return undefined;
  }

  /**
   * A bucket in force that has an object of `bucket`, which may be from before reloads; itself if there is none. The one of the same
   * name comes first, but all of them ask for the object alike (src/config/request-header-checks.ts).
   */
  bucketNow(bucket: Bucket, { key }: Pick<ObjectKey, 'key'>): Bucket {
    const { buckets } = this.#current;
    if (bucket.succession === buckets.succession) return bucket;
    const leading = buckets
      .placesCalled(bucket.bucketAtStore)
      .filter(
        ({ store, keyPrefix }) => store.identity === bucket.store.identity && key.startsWith(keyPrefix),
      );
    return leading.find(({ name }) => name === bucket.name) ?? leading[0] ?? bucket;
  }

  /** One that was prepared and never applied is not kept. */
  #wasReplaced(known: ServiceConfiguration): boolean {
    return this.#known.indexOf(known) > this.#known.indexOf(this.#current);
  }
}

/** The buckets at stores that only one of the two tables leads to. */
function movedBuckets(before: BucketTable, after: BucketTable): MovedBuckets {
  if (before.otherPlaces !== after.otherPlaces) return 'every';
  const [left, entered] = [slotsByPlace(before), slotsByPlace(after)];
  const moved = new Set<number>();
  for (const [place, slot] of left) if (!entered.has(place)) moved.add(slot);
  for (const [place, slot] of entered) if (!left.has(place)) moved.add(slot);
  return moved;
}

/** The slot of each configured bucket, by everywhere that it is. */
function slotsByPlace({ configuredPlaces }: BucketTable): ReadonlyMap<string, number> {
  return new Map(configuredPlaces.map(bucket => [placeText(bucket), bucket.epochs.bucketSlot]));
}
