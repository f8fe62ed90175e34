import { LRUCache } from 'lru-cache';
import type { Epochs } from '../../cache/epochs.ts';
import type { NameChanges } from '../../cache/name-changes.ts';
import type { ObjectKey } from '../../cache/object-key.ts';
import type { PurgeBarriers } from '../../cache/purge-barriers.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { placeText } from '../request/bucket.ts';
import { selectedOf } from '../web/selected-record.ts';
import type { WebRead } from '../web/web-read.ts';
import type { Invalidations } from './invalidations.ts';
import type { WireRecord } from './messages.ts';
import { RemoteContent, type RemoteMemory } from './remote-content.ts';
import { remoteCostBytes } from './remote-objects.ts';

/** What is known of one name. */
interface NearEntry {
  readonly objectKey: ObjectKey;
  /** By variant; the one that was told last is the last. */
  readonly records: ReadonlyMap<string, ReadableRecord>;
  /** `NameChanges.count` when they were told: they hold no longer than that. */
  readonly keptAt: number;
  /** The barriers up to this one have been applied to the records. */
  barrier: number;
}

/** Variants of one name: clients choose the values of the fields that tell them apart. */
const VARIANTS_PER_NAME = 16;

/** Stored answers that one other worker owns, as it has told them: without their bytes. */
export class NearAnswers {
  readonly #memory: RemoteMemory;
  readonly #epochs: Epochs;
  readonly #barriers: PurgeBarriers;
  readonly #changes: NameChanges;
  readonly #entries: LRUCache<string, NearEntry>;

  /** @param recordBytes heap limit */
  constructor(
    memory: RemoteMemory,
    { epochs, barriers, changes }: Invalidations & { readonly changes: NameChanges },
    recordBytes: number,
  ) {
    this.#memory = memory;
    this.#epochs = epochs;
    this.#barriers = barriers;
    this.#changes = changes;
    this.#entries = new LRUCache({
      maxSize: recordBytes,
      sizeCalculation: entry => entryCostBytes(entry),
    });
  }

  /** Estimated heap cost of the records, and how many names they are of. */
  get use() {
    return { bytes: this.#entries.calculatedSize, count: this.#entries.size };
  }

  /** The answer that is the most recent of those that the request selects, fresh or stale, whose bytes can be had. */
  find(read: WebRead): ReadableRecord | undefined {
    const { key } = read.target;
    const entry = this.#entries.get(key.text);
    if (entry?.keptAt !== this.#changes.count(key)) return undefined;
    const held = entry.barrier === this.#barriers.latest ? entry : this.#afterPurges(entry);
    if (!held) return undefined;
    return selectedOf(held.records, read, this.#epochs.current(key))?.record;
  }

  /**
   * The record that the owner has told, with a content that can be read here.
   *
   * @param keptAt set where it is for others too: `NameChanges.count` when it was told
   */
  learn(read: WebRead, wire: WireRecord, keptAt: number | undefined): ReadableRecord {
    const { key: objectKey } = read.target;
    const before = this.#entries.peek(objectKey.text);
    const record = { ...wire, content: this.#contentOf(read, wire, before) };
    if (keptAt === undefined) return record;
    const isSame = before?.keptAt === keptAt;
    const name = read.variantName(record.answer?.vary ?? []);
    const records = new Map(isSame ? before.records : undefined);
    records.delete(name);
    records.set(name, record);
    for (const oldest of records.keys()) {
      if (records.size <= VARIANTS_PER_NAME) break;
      records.delete(oldest);
    }
    const barrier = Math.min(isSame ? before.barrier : Infinity, record.barrier);
    this.#entries.set(objectKey.text, { objectKey, records, keptAt, barrier });
    return record;
  }

  /** `record` must not be used again. */
  forget({ target: { key } }: WebRead, record: ReadableRecord): void {
    const entry = this.#entries.peek(key.text);
    if (!entry) return;
    const records = new Map([...entry.records].filter(([, held]) => held.content !== record.content));
    this.#entries.set(key.text, { ...entry, records });
  }

  #contentOf({ bucket, target }: WebRead, { content }: WireRecord, before: NearEntry | undefined) {
    for (const { content: known } of before?.records.values() ?? [])
      if (known instanceof RemoteContent && known.contentId === content.contentId) return known;
    const { text } = target.key;
    const grew = () => {
      const entry = this.#entries.peek(text);
      if (entry) this.#entries.set(text, { ...entry });
    };
    const object = { bucketName: bucket.name, objectKey: target.key, place: placeText(bucket) };
    return new RemoteContent(content, this.#memory, object, grew);
  }

  #afterPurges(entry: NearEntry): NearEntry | undefined {
    const { standing = entry.barrier } = this.#barriers;
    const { text } = entry.objectKey;
    const records = this.#barriers.appliedToAll(text, entry.records);
    if (records) {
      const left = { ...entry, records, barrier: standing };
      this.#entries.set(text, left);
      return left;
    }
    entry.barrier = standing;
    return entry;
  }
}

function entryCostBytes({ objectKey, records }: NearEntry): number {
  let cost = 400 + 4 * objectKey.text.length;
  for (const [name, record] of records) cost += 2 * name.length + remoteCostBytes(record);
  return cost;
}
