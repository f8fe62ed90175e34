import type { Faults } from '../../base/faults.ts';
import type { KeyRange } from '../../cache/object-key.ts';
import type { ObjectSource } from '../read/object-source.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import { NearObjects } from './near-objects.ts';
import type { OwnedObjects } from './owned-objects.ts';
import { ContentNumbers, OwnerDesk } from './owner-desk.ts';
import { PeerLink, type PeerPort } from './peer-link.ts';

/** The other workers: what they own is asked of them, and what is owned here they are told. */
export class Peers {
  readonly #objects: OwnedObjects;
  readonly #buckets: BucketTable;
  readonly #numbers = new ContentNumbers();
  readonly #near: (NearObjects | undefined)[] = [];
  readonly #recordBytes: number;
  readonly #faults: Faults | undefined;

  /** @param recordBytes heap that records of others' objects may cost, all together. */
  constructor(
    objects: OwnedObjects,
    buckets: BucketTable,
    workers: number,
    recordBytes: number,
    faults?: Faults,
  ) {
    this.#objects = objects;
    this.#buckets = buckets;
    this.#faults = faults;
    this.#recordBytes = Math.floor(recordBytes / Math.max(1, workers - 1));
  }

  /** Speaks with worker `index` over `port`. What was learned from one that was there before is forgotten. */
  connect(index: number, port: PeerPort): void {
    const { epochs, tier, desk, directory, clock } = this.#objects;
    const owner = new OwnerDesk(this.#objects, this.#buckets, this.#numbers);
    const link = new PeerLink(port, owner, {
      clock,
      onClosed: () => {
        if (this.#near[index] === near) this.#near[index] = undefined;
      },
      onFault: error => this.#faults?.note(error),
    });
    const near = new NearObjects(
      ...[link, directory, epochs, tier.pins, desk, this.#recordBytes, tier.written],
    );
    this.#near[index] = near;
  }

  /** Forgets what others told of the objects in `range`. */
  forgetRange(range: KeyRange): void {
    for (const near of this.#near) near?.forgetRange(range);
  }

  /** Where the objects of worker `owner` are found by worker `self`: with itself while the owner cannot be spoken to. */
  sourceOf(owner: number, self: number): ObjectSource {
    return owner === self ? this.#objects.directory : (this.#near[owner] ?? this.#objects.directory);
  }
}
