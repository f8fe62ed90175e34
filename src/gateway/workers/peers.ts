import type { Faults } from '../../base/faults.ts';
import type { KeyRange } from '../../cache/object-key.ts';
import type { ObjectSource } from '../read/object-source.ts';
import type { BucketTable } from '../request/bucket-table.ts';
import { PeerLink, type PeerPort } from './peer-link.ts';
import { ContentIds, PeerServer } from './peer-server.ts';
import { RemoteObjects } from './remote-objects.ts';
import type { WorkerCache } from './worker-cache.ts';

/** The other workers: what they own is asked of them, and what is owned here they are told. */
export class Peers {
  readonly #objects: WorkerCache;
  readonly #buckets: BucketTable;
  readonly #ids = new ContentIds();
  readonly #remotes: (RemoteObjects | undefined)[] = [];
  readonly #recordBytes: number;
  readonly #faults: Faults | undefined;

  /** @param recordBytes heap that records of others' objects may cost, all together. */
  constructor(
    objects: WorkerCache,
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
    const { epochs, tier, lender, objects: directory, clock } = this.#objects;
    const owner = new PeerServer(this.#objects, this.#buckets, this.#ids);
    const link = new PeerLink(port, owner, {
      clock,
      onClosed: () => {
        if (this.#remotes[index] === remote) this.#remotes[index] = undefined;
      },
      onFault: error => this.#faults?.note(error),
    });
    const remote = new RemoteObjects(
      ...[link, directory, epochs, tier.pins, lender, this.#recordBytes, tier.written],
    );
    this.#remotes[index] = remote;
  }

  /** Forgets what others told of the objects in `range`. */
  forgetRange(range: KeyRange): void {
    for (const remote of this.#remotes) remote?.forgetRange(range);
  }

  /** Where the objects of worker `owner` are found by worker `self`: with itself while the owner cannot be spoken to. */
  sourceOf(owner: number, self: number): ObjectSource {
    return owner === self ? this.#objects.objects : (this.#remotes[owner] ?? this.#objects.objects);
  }
}
