import type { Faults } from '../../base/faults.ts';
import { ownerOf, SHARD_COUNT } from '../../cache/object-key.ts';
import type { ObjectSource, ObjectSources } from '../read/object-source.ts';
import type { Configurations } from '../request/configurations.ts';
import { PeerLink, type PeerPort } from './peer-link.ts';
import { ContentIds, PeerServer } from './peer-server.ts';
import { RemoteObjects } from './remote-objects.ts';
import type { WorkerCache } from './worker-cache.ts';

/** The connections to the other workers: looks up objects that they own, and serves them objects owned here. */
export class Peers implements ObjectSources {
  readonly #objects: WorkerCache;
  readonly #configurations: Pick<Configurations, 'bucketOf'>;
  readonly #ids = new ContentIds();
  readonly #remotes: (RemoteObjects | undefined)[] = [];
  /** The source of each shard: this worker's own cache while the owner is not connected. */
  readonly #sources: ObjectSource[];
  readonly #workers: number;
  readonly #recordBytes: number;
  readonly #faults: Faults | undefined;

  /** @param recordBytes heap limit for records of objects that other workers own, in total */
  constructor(
    objects: WorkerCache,
    configurations: Pick<Configurations, 'bucketOf'>,
    workers: number,
    recordBytes: number,
    faults?: Faults,
  ) {
    this.#objects = objects;
    this.#configurations = configurations;
    this.#workers = workers;
    this.#sources = Array.from({ length: SHARD_COUNT }, () => objects.objects);
    this.#faults = faults;
    this.#recordBytes = Math.floor(recordBytes / Math.max(1, workers - 1));
  }

  /** Connects to worker `index` over `port`. Records learned from its predecessor are dropped. */
  connect(index: number, port: PeerPort): void {
    const { epochs, barriers, tier, lender, objects: directory, clock } = this.#objects;
    const owner = new PeerServer(this.#objects, this.#configurations, this.#ids);
    const link = new PeerLink(port, owner.procedures, {
      clock,
      onClosed: () => {
        owner.disconnected();
        if (this.#remotes[index] === remote) this.#setRemote(index, undefined);
      },
      onFault: error => this.#faults?.note(error),
    });
    const memory = { link, pins: tier.pins, lender, written: tier.written };
    const remote = new RemoteObjects(memory, directory, { epochs, barriers }, this.#recordBytes);
    this.#setRemote(index, remote);
  }

  sourceOf(keyHash: number): ObjectSource {
    return this.#sources[keyHash % SHARD_COUNT] ?? this.#objects.objects;
  }

  #setRemote(owner: number, remote: RemoteObjects | undefined): void {
    this.#remotes[owner] = remote;
    for (const shard of this.#sources.keys())
      if (ownerOf(shard, this.#workers) === owner) this.#sources[shard] = remote ?? this.#objects.objects;
  }
}
