import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Generation } from '../../src/cache/generation.ts';
import { GRANULE_BYTES } from '../../src/cache/granules.ts';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import { firstMissing } from '../../src/cache/missing-span.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { UNWRITTEN_BYTE } from '../../src/cache/written-bytes.ts';
import { describingBytes, misplaced, type Origin } from '../support/self-describing.ts';

const blockBytes = 64;
const sizeBytes = 4 * blockBytes + 10;
const contents = 3;
/** Fewer than the blocks of all contents, so that filling one gives up another. */
const slots = 8;

type Step =
  | { readonly kind: 'open'; readonly content: number; readonly position: number }
  | { readonly kind: 'write'; readonly pick: number; readonly lengthBytes: number }
  | { readonly kind: 'close'; readonly pick: number }
  | { readonly kind: 'replace'; readonly content: number };

const content = fc.nat(contents - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('open' as const), content, position: fc.nat(sizeBytes - 1) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      pick: fc.nat(20),
      lengthBytes: fc.oneof(fc.nat(30), fc.constant(blockBytes)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('close' as const), pick: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), content }) },
);

/** A run of writes into one block. */
interface Run {
  readonly held: HeldContent;
  position: number;
  readonly end: number;
}

/** A content and, byte by byte, what the test has written of it; blocks that are given up take their bytes along. */
class HeldContent {
  readonly origin: Origin;
  readonly generation: Generation;
  readonly written = new Uint8Array(sizeBytes);

  constructor(origin: Origin, tier: MemoryTier) {
    this.origin = origin;
    const identity = {
      objectKey: `k${origin.object}`,
      versionId: undefined,
      entityTag: `"${origin.version}"`,
      sizeBytes,
    };
    this.generation = new Generation(identity, blockBytes, tier, {
      open: () => {
        throw new Error('no reader is wanted here');
      },
      lend: (block, from, to) => ({
        bytes: block.bytes(from, to),
        slot: 0,
        release: () => undefined,
      }),
    });
  }

  /** What the generation says is there was written, and is what belongs there. */
  check(): void {
    for (let start = 0; start < sizeBytes; start += blockBytes)
      if (!this.generation.blockAt(start)) this.written.fill(0, start, start + blockBytes);
    const ends = Array.from({ length: sizeBytes }, (_, position) => this.#claimedFrom(position));
    for (const from of [0, 5, blockBytes - 1, 2 * blockBytes + 30])
      this.#checkRun(ends, from, from + blockBytes);
    this.#checkRun(ends, 0, sizeBytes);
  }

  #claimedFrom(position: number): number {
    const until = this.generation.availableUntil(position);
    if (until > this.generation.blockEnd(position)) throw new Error(`${position} to ${until} is no block`);
    if (until > position && this.written[position] !== 1) throw new Error(`${position} was never written`);
    return until;
  }

  #checkRun(ends: readonly number[], from: number, longest: number): void {
    const to = Math.min(longest, sizeBytes);
    const held = ends.slice(from, to).map((end, index) => end > from + index);
    const coverage = held.every(one => one) ? 'all' : held.includes(true) ? 'some' : 'none';
    expect(this.generation.coverage(from, to)).toBe(coverage);
    expect(this.generation.hasBlockIn(from, to) || coverage === 'none').toBe(true);
    const missing = firstMissing(this.generation, from, to, 2 * blockBytes);
    expect(missing === undefined).toBe(coverage === 'all');
    if (missing)
      expect(held.indexOf(false) + from, 'missing from here').toBeGreaterThanOrEqual(missing.start);
    if (missing) expect(held.indexOf(false) + from).toBeLessThan(missing.end);
    const until = Math.min(ends[from] ?? from, to);
    if (until === from) {
      expect(this.generation.lend(from, from + 1)).toBeUndefined();
      return;
    }
    const lent = this.generation.lend(from, until)?.bytes ?? Buffer.alloc(0);
    expect(lent.length).toBe(until - from);
    expect(misplaced(this.origin, from, lent)).toBeUndefined();
    const text = Buffer.from(this.generation.peekText(from, until) ?? '', 'latin1');
    expect(misplaced(this.origin, from, text)).toBeUndefined();
  }
}

/** Some contents in a memory too small for them, and the runs of writes under way. */
class World {
  readonly tier: MemoryTier;
  readonly contents: HeldContent[];
  #runs: Run[] = [];
  #versions = 0;

  constructor(blocks: 'checked' | 'unchecked') {
    const memory = allocateSharedMemory(slots * GRANULE_BYTES, GRANULE_BYTES, 1, { blocks });
    for (const segment of memory.segments) new Uint8Array(segment).fill(UNWRITTEN_BYTE);
    this.tier = new MemoryTier(memory, 0);
    this.contents = Array.from({ length: contents }, (_, index) => this.#newContent(index));
  }

  take(one: Step): void {
    if (one.kind === 'open') this.#open(this.contents[one.content], one.position);
    else if (one.kind === 'replace') this.#replace(one.content);
    else this.#goOn(this.#runs[one.pick % Math.max(1, this.#runs.length)], one);
  }

  #newContent(object: number): HeldContent {
    return new HeldContent({ object: object + 1, version: ++this.#versions }, this.tier);
  }

  #open(held: HeldContent | undefined, position: number): void {
    if (!held) return;
    const { generation } = held;
    if (generation.blockAt(position)?.isFilling) {
      expect(() => generation.openBlock(position)).toThrow('filled already');
      return;
    }
    if (generation.openBlock(position))
      this.#runs.push({ held, position, end: generation.blockEnd(position) });
  }

  #goOn(run: Run | undefined, one: Step): void {
    if (!run) return;
    const { generation, origin, written } = run.held;
    const to = one.kind === 'write' ? Math.min(run.position + one.lengthBytes, run.end) : run.position;
    if (to > run.position) {
      // what comes next in the block behind may be just that
      if (run.position + 1 < run.end)
        expect(() => generation.write(run.position + 1, Buffer.alloc(1)), 'not what comes next').toThrow();
      generation.write(run.position, describingBytes(origin, run.position, to));
      written.fill(1, run.position, to);
      run.position = to;
    }
    if (one.kind !== 'close' && to < run.end) return;
    generation.closeBlock(
      run.position - 1 >= generation.blockStart(run.end - 1) ? run.position - 1 : run.position,
    );
    this.#runs = this.#runs.filter(other => other !== run);
  }

  /** Its runs go on, and give their blocks back when they end. */
  #replace(index: number): void {
    this.contents[index]?.generation.retire();
    this.contents[index] = this.#newContent(index);
  }
}

it.each(['checked', 'unchecked'] as const)(
  'contents say only what was written of them, with %s blocks, while runs of writes come from everywhere and are abandoned',
  blocks => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), steps => {
        const world = new World(blocks);
        for (const one of steps) {
          world.take(one);
          for (const held of world.contents) held.check();
        }
      }),
      { numRuns: 50 },
    );
  },
);
