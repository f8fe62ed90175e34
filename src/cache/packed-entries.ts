import type { Block } from './block.ts';
import { type Entry, generationsOf, retireSurplus, worthPacking } from './entry.ts';
import type { Generation } from './generation.ts';
import { LooseEntry } from './loose-entry.ts';
import type { MemoryTier } from './memory-tier.ts';
import { type PackedEntry, pack } from './packed-entry.ts';
import type { PackedBlock } from './packed-head.ts';
import { PackedQueue } from './packed-queue.ts';
import { SlotEntry } from './slot-entry.ts';
import type { FoundText } from './slot-texts.ts';

type Tier = Pick<MemoryTier, 'entrust' | 'free' | 'giveUp' | 'isReadAgain' | 'packed' | 'spares'>;

/** Share of the limit that entries without bytes keep while others would have to lose theirs. */
const BARE_SHARE = 1 / 8;

/** Share of the others for those that were not read again: they pass through it without displacing the rest. */
const SMALL_SHARE = 1 / 10;

/** How many entries are spared at most while one is looked for that goes. */
const LOOKS = 256;

/**
 * The packed entries of a worker: most lie in the slots of their blocks (`PackedSlots`). Where the others cost too much, those
 * without bytes go first, beyond their share. The rest of them are in an S3-FIFO of their own: what takes room among the records is
 * a name with what the store said, and not the bytes in the arena, so many tiny objects that are read once take nothing from large
 * ones that are read again.
 */
export class PackedEntries {
  readonly #tier: Tier;
  readonly #small = new PackedQueue();
  readonly #main = new PackedQueue();
  /** Those that have lost their blocks, in the order in which they lost the last one. */
  readonly #bare = new PackedQueue();
  readonly #queues = [this.#small, this.#main, this.#bare];
  /** Entries that were ever queued. */
  #queued = 0;

  constructor(tier: Tier) {
    this.#tier = tier;
  }

  get size(): number {
    return this.#tier.packed.size + this.#small.size + this.#main.size + this.#bare.size;
  }

  /** How many steps it takes to meet all of them, at most. */
  get walkSteps(): number {
    return this.size - this.#tier.packed.size + this.#tier.packed.walkSteps;
  }

  /** Estimated heap that they cost. */
  get costBytes(): number {
    return this.#small.costBytes + this.#main.costBytes + this.#bare.costBytes;
  }

  get(text: string): PackedEntry | undefined {
    const loose = this.#small.get(text) ?? this.#main.get(text) ?? this.#bare.get(text);
    return loose ?? entryOf(this.#tier.packed.get(text));
  }

  /** May be read on while entries come and go. Undefined for steps that find none: each step is short. */
  *names(): Generator<string | undefined> {
    for (const queue of this.#queues) yield* queue.names();
    for (const found of this.#tier.packed.walk()) yield found?.head.text;
  }

  *[Symbol.iterator](): IterableIterator<PackedEntry> {
    for (const queue of this.#queues) yield* queue;
    for (const found of this.#tier.packed.walk()) if (found) yield new SlotEntry(found);
  }

  /** Packs what is worth it of an entry, whose contents must be idle; they are retired. */
  add(entry: Entry): void {
    const packed = worthPacking(entry);
    if (packed !== entry) {
      this.untell(entry.objectKey.text);
      retireSurplus(entry, packed);
    }
    const contents = generationsOf(packed);
    const only = onlyOf(contents);
    if (only?.content.isTold) {
      only.content.takeBlocks();
      this.#tier.packed.add(only.block.slot);
    } else this.#write(packed, contents);
  }

  /**
   * Tells other workers what is known of an entry: behind its block where that is short and alone, and else, if one of them has
   * asked for it, in a slot for that alone. Of many variants no more than would be packed: clients choose how many there are, and
   * each change writes all that are told.
   */
  tell(entry: Entry, isAskedFor: boolean): void {
    const { packed } = this.#tier;
    if (!packed.isReadByOthers) return;
    const contents = generationsOf(entry);
    const only = onlyOf(contents);
    const short = only && packed.roomBeside(only.content.sizeBytes) > 0 ? only : undefined;
    // what is being filled is told when it is complete
    if (short ? short.content.isTold || short.block.isFilling : !isAskedFor) return;
    const { text } = entry.objectKey;
    const some = worthPacking(entry);
    if (short && some === entry && this.#tellBehind(entry, short)) packed.untell(text);
    else if (isAskedFor && !packed.isToldAlone(text)) packed.tellAlone(text, pack(some, generationsOf(some)));
  }

  /** Takes back what was told of an object in a slot for that alone, which it must be before it becomes untrue; false where nothing was. */
  untell(text: string): boolean {
    return this.#tier.packed.untell(text);
  }

  /** Gives up an entry; its blocks are the caller's. */
  take(text: string): PackedEntry | undefined {
    return this.#takeLoose(text) ?? entryOf(this.#tier.packed.take(text));
  }

  /** Removes an entry and its blocks. */
  drop(text: string): void {
    this.untell(text);
    for (const slot of this.take(text)?.slots ?? []) this.#tier.free(slot);
  }

  /** A block of `entry` was evicted, which cost `bytes`. */
  lostBlock(entry: LooseEntry, bytes: number): void {
    for (const queue of this.#queues) queue.shrank(entry, bytes);
    if (entry.isBare && this.#takeLoose(entry.text)) this.#push(entry, this.#bare);
  }

  /** Removes entries with their blocks until those on the heap cost no more than `limitBytes`. */
  limit(limitBytes: number): void {
    while (this.costBytes > limitBytes) {
      const bare = this.#bare.first;
      const isShareExceeded = this.#bare.costBytes > limitBytes * BARE_SHARE;
      const holding = bare && isShareExceeded ? undefined : this.#victim();
      const victim = bare && (!holding || bare.queuedAt < holding.queuedAt) ? bare : holding;
      if (!victim) return;
      this.untell(victim.text);
      this.#takeLoose(victim.text);
      for (const slot of victim.slots) this.#tier.giveUp(slot);
    }
  }

  #tellBehind(entry: Entry, { content, block: { index, slot, valid } }: Only): boolean {
    const bytes = pack(entry, [content], { content: 0, index, slot, valid });
    return this.#tier.packed.tell(entry.objectKey.text, bytes, slot, content.sizeBytes);
  }

  #write(entry: Entry, contents: readonly Generation[]): void {
    const blocks = contents.flatMap((generation, content) =>
      generation.takeBlocks().map(({ index, slot, valid }) => ({ content, index, slot, valid })),
    );
    const [block] = blocks;
    const { packed } = this.#tier;
    const { text } = entry.objectKey;
    const isReadAgain = entry.wasPacked === true;
    if (!block && packed.adopt(text, isReadAgain)) return;
    const bytes = pack(entry, contents, block);
    const content = block && blocks.length === 1 ? contents[block.content] : undefined;
    const isInSlot =
      block && content
        ? packed.tell(text, bytes, block.slot, lengthOf(content, block))
        : !block && packed.addBare(text, bytes, isReadAgain);
    if (!isInSlot) this.#queue(this.#looseOf(bytes, blocks));
    else if (block) {
      packed.untell(text);
      packed.add(block.slot);
    }
  }

  #takeLoose(text: string): LooseEntry | undefined {
    return this.#small.remove(text) ?? this.#main.remove(text) ?? this.#bare.remove(text);
  }

  #looseOf(bytes: string, blocks: readonly PackedBlock[]): LooseEntry {
    return new LooseEntry(bytes, blocks, this.#tier.entrust.bind(this.#tier), this);
  }

  #queue(entry: LooseEntry): void {
    const isMain = entry.slots.some(slot => this.#tier.isReadAgain(slot));
    const holding = isMain ? this.#main : this.#small;
    this.#push(entry, entry.isBare ? this.#bare : holding);
  }

  #push(entry: LooseEntry, queue: PackedQueue): void {
    entry.queuedAt = ++this.#queued;
    queue.push(entry);
  }

  /** The next to go of those with blocks. */
  #victim(): LooseEntry | undefined {
    for (let looks = LOOKS; ; looks--) {
      const queue = this.#isSmallFull ? this.#small : this.#main;
      const entry = queue.first;
      if (!entry || looks === 0 || !this.#isSpared(entry, queue)) return entry;
      queue.remove(entry.text);
      // never back to the small queue: whoever walks over the names has been there
      if (queue === this.#main) this.#push(entry, queue);
      else this.#queue(entry);
    }
  }

  get #isSmallFull(): boolean {
    if (this.#main.size === 0) return true;
    return this.#small.costBytes > SMALL_SHARE * (this.#small.costBytes + this.#main.costBytes);
  }

  /** Whether an entry gets its second chance: something of it was read again, or is being read. */
  #isSpared({ slots }: LooseEntry, queue: PackedQueue): boolean {
    if (queue === this.#small && slots.some(slot => this.#tier.isReadAgain(slot))) return true;
    // each of them loses a chance
    return slots.filter(slot => this.#tier.spares(slot)).length > 0;
  }
}

function entryOf(found: FoundText | undefined): PackedEntry | undefined {
  return found && new SlotEntry(found);
}

/** A content and its block. */
interface Only {
  readonly content: Generation;
  readonly block: Block;
}

/** The same, where there is one of each. */
function onlyOf(contents: readonly Generation[]): Only | undefined {
  const [content] = contents;
  const block = contents.length === 1 ? content?.onlyBlock : undefined;
  return content && block && { content, block };
}

/** How long a block is, whatever it holds: bytes that it has dropped may still be read by those who were told of them. */
function lengthOf(content: Generation, { index }: PackedBlock): number {
  const start = index * content.blockBytes;
  return content.blockEnd(start) - start;
}
