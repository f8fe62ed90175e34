import type { Faults } from '../../base/faults.ts';
import type { MemoryUse } from '../../cache/memory-use.ts';
import { ownerOf, SHARD_COUNT } from '../../cache/object-key.ts';
import type { ObjectSource, ObjectSources } from '../read/object-source.ts';
import type { Configurations } from '../request/configurations.ts';
import type { WebSource } from '../web/web-read.ts';
import type { WebSources } from '../web/web-server.ts';
import { NearAnswers } from './near-answers.ts';
import { type NearBytes, nearBytesOfOne } from './near-shares.ts';
import { PeerLink, type PeerPort } from './peer-link.ts';
import { PeerServer } from './peer-server.ts';
import { RemoteObjects } from './remote-objects.ts';
import { RemoteWeb } from './remote-web.ts';
import { StandIn } from './stand-in.ts';
import { ToldContents } from './told-contents.ts';
import { WebOwner } from './web-owner.ts';
import type { WorkerCache } from './worker-cache.ts';

/** Where what one worker owns is looked up. */
interface OwnerSources {
  readonly objects: ObjectSource;
  readonly web: WebSource;
}

/** What one other worker owns, and the records of it that are near. */
interface Remote extends OwnerSources {
  readonly near: readonly { readonly use: Omit<MemoryUse, 'kind'> }[];
}

/** The connections to the other workers: looks up objects that they own, and serves them objects owned here. */
export class Peers implements ObjectSources, WebSources {
  readonly #objects: WorkerCache;
  readonly #configurations: Pick<Configurations, 'bucketOf'>;
  readonly #told: ToldContents;
  readonly #remotes: (Remote | undefined)[] = [];
  readonly #own: OwnerSources;
  /** The sources of each shard: this worker's own cache while the owner is not connected. */
  readonly #sources: OwnerSources[];
  readonly #workers: number;
  readonly #nearBytes: NearBytes;
  readonly #faults: Faults | undefined;

  /** @param nearBytes for records of what all other workers own */
  constructor(
    objects: WorkerCache,
    configurations: Pick<Configurations, 'bucketOf'>,
    workers: number,
    nearBytes: NearBytes,
    faults?: Faults,
  ) {
    this.#objects = objects;
    this.#configurations = configurations;
    this.#workers = workers;
    this.#told = new ToldContents(objects.tier.pins);
    this.#own = { objects: objects.objects, web: objects.web };
    this.#sources = Array.from({ length: SHARD_COUNT }, () => this.#own);
    this.#faults = faults;
    this.#nearBytes = nearBytes;
  }

  /** Connects to worker `index` over `port`. Records learned from its predecessor are dropped. */
  connect(index: number, port: PeerPort): void {
    const { epochs, barriers, changes, tier, lender, objects, web, clock, stoodIn } = this.#objects;
    const standIn = new StandIn(index, web, stoodIn);
    const owner = new PeerServer(this.#objects, this.#configurations, this.#told);
    const link = new PeerLink(port, owner.procedures, {
      clock,
      onClosed: () => {
        owner.disconnected();
        webOwner.disconnected();
        if (this.#remotes[index] === remote) this.#setRemote(index, undefined, { objects, web: standIn });
        remote.web.disconnected();
      },
      onHeardAgain: () => standIn.end(),
      onFault: error => this.#faults?.note(error),
    });
    const webOwner = new WebOwner(link, web, this.#configurations, this.#told);
    const memory = { link, pins: tier.pins, lender, written: tier.written };
    const { webBytes, objectBytes } = nearBytesOfOne(this.#nearBytes, this.#workers - 1);
    const near = new NearAnswers(memory, { epochs, barriers, changes }, webBytes);
    const nearObjects = new RemoteObjects(
      memory,
      tier.textsOf(index),
      objects,
      { epochs, barriers },
      objectBytes,
    );
    const remote = {
      objects: nearObjects,
      web: new RemoteWeb(link, near, web, standIn),
      near: [nearObjects, near],
    };
    link.serve({ ...webOwner.procedures, ...remote.web.procedures });
    standIn.end();
    this.#setRemote(index, remote, remote);
  }

  sourceOf(keyHash: number): ObjectSource {
    return this.#of(keyHash).objects;
  }

  webSourceOf(keyHash: number): WebSource {
    return this.#of(keyHash).web;
  }

  /** What the records take that others own. */
  get use(): MemoryUse {
    let [bytes, count] = [0, 0];
    for (const { use } of this.#remotes.flatMap(remote => remote?.near ?? [])) {
      bytes += use.bytes;
      count += use.count;
    }
    return { kind: 'near-records', bytes, count };
  }

  #of(keyHash: number): OwnerSources {
    return this.#sources[keyHash % SHARD_COUNT] ?? this.#own;
  }

  #setRemote(owner: number, remote: Remote | undefined, sources: OwnerSources): void {
    this.#remotes[owner] = remote;
    for (const shard of this.#sources.keys())
      if (ownerOf(shard, this.#workers) === owner) this.#sources[shard] = sources;
  }
}
