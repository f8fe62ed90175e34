import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GRANULE_BYTES, granulesFor } from '../../src/cache/granules.ts';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import type { SlotOwner } from '../../src/cache/slot-owner.ts';
import { SlotPins } from '../../src/cache/slot-pins.ts';
import { Random } from '../fuzz/random.ts';

const pageBytes = 16 * 1024;
const pages = 8;

type Step =
  | { kind: 'allocate'; sizeBytes: number }
  | { kind: 'complete' | 'reopen' | 'free' | 'visit' | 'pin' | 'unpin'; pick: number };

const sizeBytes = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: pageBytes / 8 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: pageBytes }) },
  fc.constant(pageBytes),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('allocate' as const),
      sizeBytes,
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('complete' as const), pick: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'reopen' as const,
        'free' as const,
        'visit' as const,
        'pin' as const,
        'unpin' as const,
      ),
      pick: fc.nat(),
    }),
  },
);

/** Contents are pieces of these, none of which occur twice. */
const random = new Random(1);
const bytes = Buffer.from(Array.from({ length: 2 * pageBytes }, () => random.int(256)));

/** A block as the tests see it: where it is and what was written there. */
class Held implements SlotOwner {
  readonly contentHash: number;
  readonly sizeBytes: number;
  slot = -1;
  isGone = false;
  isComplete = false;
  wasVisited = false;
  pins = 0;
  memory: Buffer = Buffer.alloc(0);
  readonly written: Buffer;

  constructor(contentHash: number, sizeBytes: number) {
    this.contentHash = contentHash;
    this.sizeBytes = sizeBytes;
    this.written = bytes.subarray((contentHash * 7) % pageBytes).subarray(0, sizeBytes);
  }

  get isBusy(): boolean {
    return this.pins > 0 || (!this.isGone && !this.isComplete);
  }

  get granules(): number {
    return granulesFor(this.sizeBytes);
  }

  get isIntact(): boolean {
    return this.memory.equals(this.written);
  }

  evicted(): void {
    expect([this.isGone, this.isBusy], 'evicted once, and not in use').toEqual([false, false]);
    this.isGone = true;
  }

  moved(slot: number, memory: Buffer): void {
    expect([this.isGone, this.isBusy], 'only what is held, and not in use').toEqual([false, false]);
    this.slot = slot;
    this.memory = memory.subarray(0, this.sizeBytes);
    moves++;
  }

  takenBack(): void {
    throw new Error('there is only one group');
  }
}

let moves = 0;

/** The memory of worker 1, whose blocks tell what is in them, and another worker that pins them. */
class Model {
  readonly tier: MemoryTier;
  readonly #other: SlotPins;
  readonly blocks: Held[] = [];
  #made = 0;

  constructor() {
    const memory = allocateSharedMemory(2 * pages * pageBytes, pageBytes, 2);
    this.tier = new MemoryTier(memory, 1);
    this.#other = new SlotPins(memory, 0);
  }

  take({ kind, ...rest }: Step): void {
    const pick = 'pick' in rest ? rest.pick : 0;
    if (kind === 'allocate') this.allocate('sizeBytes' in rest ? rest.sizeBytes : 1);
    if (kind === 'complete') this.#complete(this.#choose(pick, one => !one.isGone && !one.isComplete));
    if (kind === 'reopen') this.#reopen(this.#choose(pick, one => !one.isGone && one.isComplete));
    if (kind === 'free') this.free(this.#choose(pick, one => !one.isGone));
    if (kind === 'visit') this.#visit(this.#choose(pick, one => !one.isGone));
    if (kind === 'pin') this.#pin(this.#choose(pick, one => !one.isGone));
    if (kind === 'unpin') this.#unpin(this.#choose(pick, one => one.pins > 0));
  }

  allocate(sizeBytes: number): void {
    const block = new Held(++this.#made, sizeBytes);
    const slot = this.tier.allocate(sizeBytes, block);
    if (slot === undefined) {
      this.#expectCrowd();
      return;
    }
    block.slot = slot;
    block.memory = this.tier.view(slot, sizeBytes);
    block.memory.set(block.written);
    this.blocks.push(block);
  }

  free(block: Held | undefined): void {
    if (!block) return;
    this.tier.free(block.slot);
    block.isGone = true;
  }

  check(): void {
    const alive = this.blocks.filter(block => !block.isGone);
    const used = alive.reduce((sum, block) => sum + block.granules * GRANULE_BYTES, 0);
    const { usedBytes, slots, capacityBytes } = this.tier.usage;
    expect([usedBytes, slots, capacityBytes]).toEqual([used, alive.length, pages * pageBytes]);
    expect(used).toBeLessThanOrEqual(capacityBytes);
    const occupied = this.blocks.filter(block => !block.isGone || block.pins > 0);
    for (const block of occupied) expect(block.isIntact).toBe(true);
    occupied.sort((one, other) => one.slot - other.slot);
    for (const [index, { slot, granules }] of occupied.entries()) {
      expect(slot + granules, 'no two overlap').toBeLessThanOrEqual(occupied[index + 1]?.slot ?? Infinity);
      expect(pageOf(slot + granules - 1), 'within a page').toBe(pageOf(slot));
    }
  }

  /** When all is given up, the holes are whole pages again. */
  finish(): void {
    for (const block of this.blocks) {
      while (block.pins > 0) this.#unpin(block);
      if (!block.isGone) this.free(block);
    }
    const { evictions } = this.tier.usage;
    for (let page = 0; page < pages; page++) this.allocate(pageBytes);
    expect(this.tier.usage).toMatchObject({ evictions, slots: pages, usedBytes: pages * pageBytes });
  }

  #expectCrowd(): void {
    const busyPages = new Set(this.blocks.filter(one => one.isBusy).map(({ slot }) => pageOf(slot)));
    // what was read again stays while others are being filled
    if (this.blocks.some(one => !one.isGone && !one.isComplete))
      for (const one of this.blocks) if (!one.isGone && one.wasVisited) busyPages.add(pageOf(one.slot));
    expect(busyPages.size, 'every page is being filled or read').toBe(pages);
  }

  #choose(pick: number, fits: (block: Held) => boolean): Held | undefined {
    const fitting = this.blocks.filter(fits);
    return fitting[pick % Math.max(1, fitting.length)];
  }

  #complete(block: Held | undefined): void {
    if (!block) return;
    this.tier.complete(block.slot);
    block.isComplete = true;
  }

  #reopen(block: Held | undefined): void {
    if (block && this.tier.reopen(block.slot)) block.isComplete = false;
  }

  #visit(block: Held | undefined): void {
    if (!block) return;
    for (let time = 0; time < 3; time++) this.tier.read(block.slot);
    block.wasVisited = true;
  }

  #pin(block: Held | undefined): void {
    if (!block) return;
    expect(this.#other.acquire(block.slot, this.#other.tag(block.slot))).toBe(true);
    block.pins++;
  }

  #unpin(block: Held | undefined): void {
    if (!block) return;
    this.#other.release(block.slot);
    block.pins--;
  }
}

function pageOf(slot: number): number {
  return Math.floor((slot * GRANULE_BYTES) / pageBytes);
}

it('law 8 and 9: never more than configured, reported bytes are the sum of the slots, a page where nobody is at work has room, and nothing is overwritten under an owner or a reader', () => {
  moves = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 100, maxLength: 400, size: 'max' }), steps => {
      const model = new Model();
      for (const one of steps) {
        model.take(one);
        model.check();
      }
      model.finish();
    }),
    { numRuns: 100 },
  );
  expect(moves, 'blocks were moved').toBeGreaterThan(100);
});

it('a reference from another thread is void once the slot has changed hands', () => {
  const memory = allocateSharedMemory(16 * pageBytes, pageBytes, 2);
  const owner = new MemoryTier(memory, 0);
  const other = new SlotPins(memory, 1);
  const slot = owner.allocate(pageBytes, new Held(1, pageBytes));
  if (slot === undefined) throw new Error('an empty arena has room');
  const tag = owner.pins.tag(slot);
  expect(other.acquire(slot, tag)).toBe(true);
  owner.free(slot);
  expect(other.acquire(slot, tag)).toBe(false);
  const taken = new Set<number>();
  for (let page = 0; page < 8; page++) {
    const next = owner.allocate(pageBytes, new Held(2, pageBytes));
    if (next !== undefined) taken.add(next);
  }
  expect(taken.has(slot), 'the slot is still being read').toBe(false);
  other.release(slot);
  expect(owner.allocate(pageBytes, new Held(3, pageBytes))).toBe(slot);
});
