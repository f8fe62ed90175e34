import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Block } from '../../src/cache/block.ts';

const blockBytes = 24;
/** What the memory holds before anything is written; runs of writes are numbered from 1 and write their number. */
const unwritten = 0;

type Step =
  | { readonly kind: 'open'; readonly offset: number }
  | { readonly kind: 'write'; readonly lengthBytes: number }
  | { readonly kind: 'close' };

const offset = fc.nat(blockBytes - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('open' as const), offset }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), lengthBytes: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'close' as const }) },
);

/** A block beside a model of it: which run of writes each byte came from first, while it was valid. */
class Pair {
  readonly memory = Buffer.alloc(blockBytes, unwritten);
  readonly block = new Block(0, { hashOf: () => 0, remove: () => undefined });
  readonly origins = new Array<number>(blockBytes).fill(unwritten);
  #run = 0;
  #next: number | undefined;
  #start = 0;

  constructor() {
    this.block.place(0, this.memory);
  }

  take(one: Step): void {
    if (one.kind === 'open') this.#open(one.offset);
    else if (one.kind === 'write') this.#write(one.lengthBytes);
    else this.#close();
    this.check();
  }

  #open(from: number): void {
    if (this.#next !== undefined) {
      expect(() => this.block.open(from)).toThrow('filled already');
      return;
    }
    this.block.open(from);
    this.#run++;
    this.#start = from;
    this.#next = from;
  }

  #write(lengthBytes: number): void {
    const chunk = Buffer.alloc(lengthBytes, this.#run);
    if (this.#next === undefined || this.#next + lengthBytes > blockBytes) {
      expect(() => this.block.write(this.#next ?? 0, chunk)).toThrow(RangeError);
      return;
    }
    expect(() => this.block.write((this.#next ?? 0) + 1, chunk), 'a gap').toThrow('is not contiguous');
    const before = this.block.valid;
    for (let at = this.#next; at < this.#next + lengthBytes; at++)
      if (at < before.start || at >= before.end) this.origins[at] = this.#run;
    this.block.write(this.#next, chunk);
    this.#next += lengthBytes;
    expect(this.block.availableUntil(this.#start), 'what was written is there').toBeGreaterThanOrEqual(
      this.#next,
    );
    if (before.start === before.end) return;
    expect(this.block.valid.start).toBeLessThanOrEqual(before.start);
    expect(this.block.valid.end).toBeGreaterThanOrEqual(before.end);
  }

  #close(): void {
    const before = this.block.valid;
    this.block.close();
    const after = this.block.valid;
    expect(after.end - after.start).toBeGreaterThanOrEqual(before.end - before.start);
    expect(after.end - after.start).toBeGreaterThanOrEqual((this.#next ?? 0) - this.#start);
    this.#next = undefined;
    this.#start = 0;
  }

  /** Whatever the block says is there was written, and is what the model has. */
  check(): void {
    const { valid } = this.block;
    this.#claimed(valid.start, valid.end);
    for (let from = 0; from < blockBytes; from++) {
      this.#claimed(from, this.block.availableUntil(from));
      const next = this.block.nextAvailable(from, blockBytes);
      if (next < blockBytes) this.#claimed(next, this.block.availableUntil(next));
    }
  }

  #claimed(from: number, to: number): void {
    expect(to).toBeLessThanOrEqual(blockBytes);
    const bytes = [...this.block.bytes(from, to)];
    expect(bytes).not.toContain(unwritten);
    expect(bytes).toEqual(this.origins.slice(from, to));
    expect(this.block.text(from, to)).toBe(String.fromCharCode(...bytes));
  }
}

it('a block holds what was written and nothing else, wherever runs of writes begin, overlap, meet and are abandoned', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), steps => {
      const pair = new Pair();
      for (const one of steps) pair.take(one);
    }),
    { numRuns: 60 },
  );
});
