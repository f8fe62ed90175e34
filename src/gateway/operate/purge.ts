import type { KnownObject } from '../../cache/entry.ts';
import type { EntryTable } from '../../cache/entry-table.ts';
import { isTextInRange, type KeyRange } from '../../cache/object-key.ts';
import type { BarrierScope } from '../../cache/purge-barriers.ts';
import { ANY_TAG_SLOT, tagSlotOf } from '../../cache/tag-slots.ts';
import type { Bucket } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import type { WorkerCache } from '../workers/worker-cache.ts';
import { namedObject } from './named-object.ts';

/** The objects to purge, by the names that clients use. */
export type PurgeScope =
  | { readonly kind: 'key'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'prefix'; readonly bucket: string; readonly prefix: string }
  | { readonly kind: 'bucket'; readonly bucket: string }
  | { readonly kind: 'tag'; readonly tag: string };

/** @param soft whether the objects are kept, to be revalidated at their next use */
export type PurgeOrder = PurgeScope & { readonly soft?: boolean };

/** What a purge concerned. Where much would have to be looked at, nobody counts: only memory is `pending` then. */
export type Purged =
  | { readonly kind: 'counted'; readonly objects: number; readonly bytes: number }
  | { readonly kind: 'pending' };

/** What operators purge. */
type OrderedScope = Exclude<BarrierScope, { kind: 'groups' }>;

/** Steps of a walk over the entries before a purge is answered, in a few milliseconds. */
const STEPS_AT_ONCE = 2_000;

/**
 * Purges objects in all workers: when this returns, nothing that was asked of the store before is served without asking it
 * again, or stored (docs/architecture.md, law 5). It takes the same time whatever is held; memory is given back by and by.
 */
export function purge(
  order: PurgeOrder,
  objects: WorkerCache,
  buckets: Pick<BucketTable, 'placesOf'>,
): Purged {
  const { barriers, table, sweep } = objects;
  const scopes = scopesOf(order, buckets);
  for (const scope of scopes) barriers.raise(scope, order.soft ? 'soft' : 'hard', objects.nowMs());
  if (order.kind !== 'key' && table.walkSteps > STEPS_AT_ONCE) {
    if (!order.soft) sweep.start();
    return { kind: 'pending' };
  }
  let bytes = 0;
  const concerned = scopes.flatMap(scope => [...concernedBy(scope, table)]);
  for (const { text, heldBytes } of concerned) {
    bytes += heldBytes;
    if (!order.soft) table.drop(text);
  }
  return { kind: 'counted', objects: concerned.length, bytes };
}

function scopesOf(order: PurgeOrder, buckets: Pick<BucketTable, 'placesOf'>): OrderedScope[] {
  if (order.kind === 'tag') return [{ kind: 'tag', slot: tagSlotOf(order.tag) }];
  const places = buckets.placesOf(order.bucket);
  return places.map(place =>
    order.kind === 'key'
      ? { kind: 'key', objectKey: namedObject(place, order.key) }
      : { kind: 'range', range: rangeOf(place, order.kind === 'prefix' ? order.prefix : '') },
  );
}

function rangeOf({ store, bucketAtStore, keyPrefix }: Bucket, prefix: string): KeyRange {
  return { backend: store.identity, bucket: bucketAtStore, keyPrefix: keyPrefix + prefix };
}

function* concernedBy(scope: OrderedScope, table: EntryTable): Generator<KnownObject> {
  if (scope.kind === 'key') {
    const known = table.known(scope.objectKey);
    if (known) yield known;
    return;
  }
  for (const known of table) if (isConcerned(known, scope)) yield known;
}

function isConcerned(
  { text, tagSlots }: KnownObject,
  scope: Exclude<OrderedScope, { kind: 'key' }>,
): boolean {
  if (scope.kind === 'range') return isTextInRange(text, scope.range);
  return tagSlots.includes(scope.slot) || tagSlots.includes(ANY_TAG_SLOT);
}
