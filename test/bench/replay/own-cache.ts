import { EntryTable } from '../../../src/cache/entry-table.ts';
import { Generation } from '../../../src/cache/generation.ts';
import type { GenerationIdentity } from '../../../src/cache/generation-identity.ts';
import { MemoryTier } from '../../../src/cache/memory-tier.ts';
import type { ObjectKey } from '../../../src/cache/object-key.ts';
import { PurgeBarriers } from '../../../src/cache/purge-barriers.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import type { HeaderField } from '../../../src/s3/dialect.ts';
import { allocateCache } from '../../../src/wiring/cache.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { testKey } from '../../support/object-keys.ts';
import { recordOf } from '../../support/records.ts';
import type { Contender } from './contender.ts';

/** Time between two requests: what counts milliseconds in the cache sees a busy server. */
const REQUEST_MS = 0.1;

/** What a store commonly says of an object. */
const fields: readonly HeaderField[] = [
  { name: 'content-type', value: 'application/octet-stream', store: false },
  { name: 'etag', value: '"0123456789abcdef0123456789abcdef"', store: false },
  { name: 'last-modified', value: 'Fri, 21 Dec 2012 00:00:00 GMT', store: false },
  { name: 'checksum-crc64nvme', value: 'AAAAAAAAAAA=', store: true },
  { name: 'checksum-type', value: 'FULL_OBJECT', store: true },
  { name: 'server-side-encryption', value: 'AES256', store: true },
];

/** Nobody but the replay reads. */
const reading = {
  open: (): never => {
    throw new Error('nothing is opened here');
  },
  lend: (): never => {
    throw new Error('nothing is lent here');
  },
};

/**
 * The cache of one worker of the gateway, with all of `cache.memory.size` that it has for records, blocks and what they are
 * counted with. An object is a hit when its record and all its bytes are held; what is missing is filled block by block.
 */
export class OwnCache implements Contender {
  readonly #table: EntryTable;
  readonly #tier: MemoryTier;
  readonly #clock = new ManualClock();
  readonly #keys: (ObjectKey | undefined)[] = [];
  readonly #blockBytes: number;
  readonly #bytes: Buffer;

  constructor(capacityBytes: number) {
    const config = parseConfig('workers: 1', {});
    const { shared, recordBytesPerWorker } = allocateCache(
      { ...config, cache: { ...config.cache, memory: { sizeBytes: Math.floor(capacityBytes) } } },
      1,
      false,
    );
    this.#blockBytes = shared.layout.pageBytes;
    this.#bytes = Buffer.alloc(this.#blockBytes);
    this.#tier = new MemoryTier(shared, 0, this.#clock);
    this.#table = new EntryTable(recordBytesPerWorker, this.#tier, new PurgeBarriers(shared));
  }

  request(object: number, sizeBytes: number): boolean {
    this.#clock.advance(REQUEST_MS);
    const key = this.#keyOf(object);
    const entry = this.#table.get(key) ?? this.#table.revive(key, identity => this.#create(key, identity));
    const record = entry?.records.get('');
    const held =
      record?.kind === 'readable' && record.content instanceof Generation ? record.content : undefined;
    const isHit = held?.coverage(0, sizeBytes) === 'all';
    this.#read(held ?? this.#put(key, object, sizeBytes));
    return isHit;
  }

  #keyOf(object: number): ObjectKey {
    const key = this.#keys[object] ?? testKey('main', 'bucket', `some/path/object-${object}`);
    this.#keys[object] = key;
    return key;
  }

  #create(key: ObjectKey, identity: GenerationIdentity): Generation {
    return new Generation(identity, this.#blockBytes, this.#tier, reading, () => this.#table.grew(key));
  }

  #put(key: ObjectKey, object: number, sizeBytes: number): Generation {
    const entityTag = `"${object}"`;
    const generation = this.#create(key, { objectKey: key.text, versionId: undefined, entityTag, sizeBytes });
    this.#table.put(key, '', { ...recordOf(generation), fields });
    return generation;
  }

  /** Reads all of `generation`; blocks that are missing are filled first, as far as there is room. */
  #read(generation: Generation): void {
    generation.enter();
    for (let from = 0; from < generation.sizeBytes; from += this.#blockBytes) {
      const to = generation.blockEnd(from);
      if (generation.coverage(from, to) !== 'all' && generation.openBlock(from)) {
        generation.write(from, this.#bytes.subarray(0, to - from));
        generation.closeBlock(from);
      }
      const block = generation.blockAt(from);
      if (block) generation.visit(block);
    }
    generation.leave();
  }
}
