import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { Block } from '../../src/cache/block.ts';
import { EntryTable } from '../../src/cache/entry-table.ts';
import { Generation } from '../../src/cache/generation.ts';
import type { GenerationIdentity } from '../../src/cache/generation-identity.ts';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import { PackedEntry } from '../../src/cache/packed-entry.ts';
import { PurgeBarriers } from '../../src/cache/purge-barriers.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { SlotEntry } from '../../src/cache/slot-entry.ts';
import { SlotPins } from '../../src/cache/slot-pins.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { testKey } from '../support/object-keys.ts';
import { recordOf } from '../support/records.ts';
import { describingBytes, misplaced, type Origin } from '../support/self-describing.ts';

const pageBytes = 16 * 1024;
const objects = 60;
/** What is filled for one of these may be taken back for another. */
const groups = 3;
/** Less than the entries cost, so that most are packed. */
const recordBytes = 60_000;
const sizesBytes = [100, 700, 1_500, 3_000, 5_000, 9_000, pageBytes, 2 * pageBytes + 77];

type Kind = 'read' | 'finish' | 'lend' | 'pin' | 'release' | 'replace' | 'drop' | 'demote' | 'wait';
const often: readonly Kind[] = [
  'read',
  'read',
  'read',
  'read',
  'read',
  'finish',
  'lend',
  'pin',
  'pin',
  'release',
];

const step = fc.record({
  kind: fc.constantFrom<Kind[]>(...often, 'replace', 'drop', 'demote', 'wait', 'wait'),
  pick: fc.nat(),
  isAtOnce: fc.boolean(),
});

/** A block that is being filled. */
interface Fill {
  readonly generation: Generation;
  readonly from: number;
  written: number;
}

/** Bytes that somebody has pinned. */
interface Pinned {
  readonly origin: Origin;
  readonly from: number;
  readonly bytes: Buffer;
  release(): void;
}

/** The contents of one worker, packed and not, and those who read them: itself, and another worker. */
class World {
  readonly #clock = new ManualClock();
  readonly #memory = allocateSharedMemory(16 * pageBytes, pageBytes, 2, { blocks: 'checked' });
  readonly #tier = new MemoryTier(this.#memory, 1, this.#clock);
  readonly #other = new SlotPins(this.#memory, 0);
  readonly #table = new EntryTable(recordBytes, this.#tier, new PurgeBarriers(this.#memory));
  readonly #made = new Map<Generation, Origin>();
  readonly #fills = new Set<Fill>();
  readonly #pinned = new Set<Pinned>();
  #versions = 0;
  takenBack = 0;
  packed = 0;
  /** Packed without blocks, in slots. */
  bare = 0;

  take({ kind, pick, isAtOnce }: { kind: Kind; pick: number; isAtOnce: boolean }): void {
    const object = pick % objects;
    if (kind === 'read') this.#read(object, isAtOnce);
    else if (kind === 'finish') this.#finish(chosen(this.#fills, pick));
    else if (kind === 'lend' || kind === 'pin')
      this.#pin(object, kind === 'lend' ? this.#tier.pins : this.#other);
    else if (kind === 'release') this.#release(chosen(this.#pinned, pick));
    else if (kind === 'replace') this.#create(object);
    else if (kind === 'drop') this.#table.drop(keyOf(object).text);
    else if (kind === 'demote') this.#contentOf(object)?.demoteUnread(() => false);
    else this.#clock.advance(600);
  }

  check(): void {
    const packed = [...this.#table].filter(one => one instanceof PackedEntry);
    const bare = packed.filter(one => one instanceof SlotEntry && one.slots.length === 0);
    this.bare += bare.length;
    this.packed += packed.length;
    let blocks = bare.length + packed.reduce((sum, { slots }) => sum + slots.length, 0);
    for (const [generation, origin] of this.#made) {
      for (const [start, block] of blocksOf(generation)) {
        blocks++;
        const { valid } = block;
        const bytes = block.bytes(valid.start, valid.end);
        expect(misplaced(origin, start + valid.start, bytes)).toBeUndefined();
      }
      if (generation.isRetired && generation.heldBlocks === 0) this.#made.delete(generation);
    }
    expect(this.#tier.usage.slots, 'law 9').toBe(blocks);
    for (const { origin, from, bytes } of this.#pinned)
      expect(misplaced(origin, from, bytes), 'what is pinned stays').toBeUndefined();
  }

  /** When all has ended and is dropped, nothing is left. */
  finish(): void {
    for (const fill of this.#fills) this.#finish(fill);
    for (const pinned of this.#pinned) this.#release(pinned);
    for (let object = 0; object < objects; object++) this.#table.drop(keyOf(object).text);
    this.check();
    expect(this.#tier.usage.slots).toBe(0);
  }

  #read(object: number, isAtOnce: boolean): void {
    const generation = this.#contentOf(object) ?? this.#create(object);
    for (let from = 0; from < generation.sizeBytes; from += pageBytes) {
      const block = generation.blockAt(from);
      if (!block) this.#open(generation, from, isAtOnce);
      else if (!block.isFilling) generation.visit(block);
    }
  }

  #open(generation: Generation, from: number, isAtOnce: boolean): void {
    const fill = { generation, from, written: 0 };
    const takenBack = () => {
      this.takenBack++;
      this.#close(fill);
    };
    const isOpen = generation.openBlock(from, takenBack);
    if (!isOpen) return;
    this.#fills.add(fill);
    this.#write(fill, Math.floor((generation.blockEnd(from) - from) / 2));
    if (isAtOnce) this.#finish(fill);
  }

  #write(fill: Fill, lengthBytes: number): void {
    const origin = this.#made.get(fill.generation);
    if (!origin) throw new Error('nobody made this content');
    const at = fill.from + fill.written;
    fill.written += lengthBytes;
    fill.generation.write(at, describingBytes(origin, at, fill.from + fill.written));
  }

  #finish(fill: Fill | undefined): void {
    if (!fill) return;
    const { generation, from, written } = fill;
    this.#write(fill, generation.blockEnd(from) - from - written);
    this.#close(fill);
  }

  #close(fill: Fill): void {
    this.#fills.delete(fill);
    fill.generation.closeBlock(fill.from);
  }

  #pin(object: number, pins: SlotPins): void {
    const generation = this.#contentOf(object);
    const origin = generation && this.#made.get(generation);
    for (const [start, block] of generation ? blocksOf(generation) : []) {
      const { slot, valid } = block;
      if (!origin || !pins.acquire(slot, pins.tag(slot))) continue;
      const bytes = pins.view(slot, valid.start, valid.end);
      const release = () => pins.release(slot);
      this.#pinned.add({ origin, from: start + valid.start, bytes, release });
    }
  }

  #release(pinned: Pinned | undefined): void {
    if (pinned && this.#pinned.delete(pinned)) pinned.release();
  }

  #contentOf(object: number): Generation | undefined {
    const key = keyOf(object);
    const entry = this.#table.get(key) ?? this.#table.revive(key, identity => this.#make(object, identity));
    const record = entry?.records.get('');
    return record?.kind === 'readable' && record.content instanceof Generation ? record.content : undefined;
  }

  #create(object: number): Generation {
    const sizeBytes = sizesBytes[object % sizesBytes.length] ?? 0;
    const entityTag = String(++this.#versions);
    const identity = { objectKey: keyOf(object).text, versionId: undefined, entityTag, sizeBytes };
    const generation = this.#make(object, identity);
    this.#table.put(keyOf(object), '', recordOf(generation));
    return generation;
  }

  #make(object: number, identity: GenerationIdentity): Generation {
    const grown = () => this.#table.grew(keyOf(object));
    const reading = { open: unused, lend: unused };
    const generation = new Generation(identity, pageBytes, this.#tier, reading, grown, object % groups);
    this.#made.set(generation, { object, version: Number(identity.entityTag) });
    return generation;
  }
}

function unused(): never {
  throw new Error('nothing is read here');
}

function keyOf(object: number) {
  return testKey('main', 'b', `moved-${object}`);
}

function chosen<One>(among: ReadonlySet<One>, pick: number): One | undefined {
  return [...among][pick % Math.max(1, among.size)];
}

/** The blocks that a content has, by their first byte. */
function blocksOf(generation: Generation): [number, Block][] {
  const found: [number, Block][] = [];
  for (let start = 0; start < generation.sizeBytes; start += pageBytes) {
    const block = generation.blockAt(start);
    if (block) found.push([start, block]);
  }
  return found;
}

afterEach(() => vi.restoreAllMocks());

it('whatever is filled, taken back, packed, moved, pinned and dropped meanwhile, contents have their own bytes, and what is pinned stays', () => {
  const moved = vi.spyOn(Block.prototype, 'moved');
  const seen = { takenBack: 0, packed: 0, bare: 0 };
  fc.assert(
    fc.property(fc.array(step, { minLength: 300, maxLength: 600, size: 'max' }), steps => {
      const world = new World();
      for (const one of steps) {
        world.take(one);
        world.check();
      }
      world.finish();
      for (const what of ['takenBack', 'packed', 'bare'] as const) seen[what] += world[what];
    }),
    { numRuns: 40 },
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
  expect(moved.mock.calls.length, 'moved').toBeGreaterThan(0);
});
