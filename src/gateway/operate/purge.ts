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

/** What a purge concerned. Where counting would take long, nobody counts: only memory is `pending` then. */
export type Purged =
  | { readonly kind: 'counted'; readonly objects: number; readonly bytes: number }
  | { readonly kind: 'pending' };

/** What operators purge. */
type OrderedScope = Exclude<BarrierScope, { kind: 'groups' }>;
type WideScope = Exclude<OrderedScope, { kind: 'key' }>;

/** Longer walks over the entries are not begun: they would take longer than `BUDGET_MS`. */
const MOST_STEPS = 2_000;

/** What counting and giving back may take of the thread before a purge is answered, but for the last step (docs/caching.md, Purging). */
const BUDGET_MS = 5;

/** Entries that are counted between two looks at the clock: each takes a few microseconds. */
const STEPS = 32;

/**
 * Purges objects in all workers: when this returns, nothing that was asked of the store before is served without asking it
 * again, or stored (docs/architecture.md, law 5). That takes the same time whatever is held. What is held of the objects is
 * counted and given back while there is time; the sweep gives back the rest.
 */
export function purge(
  order: PurgeOrder,
  objects: WorkerCache,
  buckets: Pick<BucketTable, 'placesOf'>,
): Purged {
  const { barriers, table, sweep, clock } = objects;
  const scopes = scopesOf(order, buckets);
  for (const scope of scopes) barriers.raise(scope, order.soft ? 'soft' : 'hard', objects.nowMs());
  const endMs = clock.monotonicMs() + BUDGET_MS;
  const hasTime = () => clock.monotonicMs() < endMs;
  const concerned = concernedBy(scopes, objects, hasTime);
  if (!order.soft && !(concerned && dropAll(concerned, table, hasTime))) sweep.start();
  if (!concerned) return { kind: 'pending' };
  const bytes = concerned.reduce((sum, { heldBytes }) => sum + heldBytes, 0);
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

/** What is held of the objects; undefined where it takes too long to tell, or what earlier purges left is among it. */
function concernedBy(
  scopes: readonly OrderedScope[],
  { table, sweep }: Pick<WorkerCache, 'table' | 'sweep'>,
  hasTime: () => boolean,
): KnownObject[] | undefined {
  const concerned: KnownObject[] = [];
  const wide: WideScope[] = [];
  for (const scope of scopes) {
    if (scope.kind !== 'key') {
      wide.push(scope);
      continue;
    }
    const known = table.known(scope.objectKey);
    if (known) concerned.push(known);
  }
  if (wide.length === 0) return concerned;
  if (sweep.isRunning || table.walkSteps > MOST_STEPS) return undefined;
  let steps = 0;
  for (const known of table) {
    if (++steps % STEPS === 0 && !hasTime()) return undefined;
    if (wide.some(scope => isConcerned(known, scope))) concerned.push(known);
  }
  return concerned;
}

/** Gives back what is held of these while there is time; whether it was all. One takes some tens of microseconds, with many blocks a thousand. */
function dropAll(
  concerned: readonly KnownObject[],
  table: Pick<EntryTable, 'drop'>,
  hasTime: () => boolean,
): boolean {
  for (const [index, { text }] of concerned.entries()) {
    if (index > 0 && !hasTime()) return false;
    table.drop(text);
  }
  return true;
}

function isConcerned({ text, tagSlots }: KnownObject, scope: WideScope): boolean {
  if (scope.kind === 'range') return isTextInRange(text, scope.range);
  return tagSlots.includes(scope.slot) || tagSlots.includes(ANY_TAG_SLOT);
}
