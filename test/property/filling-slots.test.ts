import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GRANULE_BYTES } from '../../src/cache/granules.ts';
import { MemoryTier } from '../../src/cache/memory-tier.ts';
import { allocateSharedMemory } from '../../src/cache/shared-memory.ts';
import { ManualClock } from '../support/manual-clock.ts';

const pageBytes = 64 * 1024;
const takeBackAfterMs = 500;
const activeMs = 10_000;

/** A slot that a group is filling, as the test sees it. */
interface Fill {
  readonly group: number;
  readonly slot: number;
  readonly sinceMs: number;
}

type Step =
  | { readonly kind: 'begin'; readonly group: number; readonly sizeBytes: number }
  | { readonly kind: 'complete' | 'free'; readonly pick: number }
  | { readonly kind: 'reopen'; readonly group: number; readonly pick: number }
  | { readonly kind: 'wait'; readonly forMs: number };

const group = fc.nat(9);
const sizeBytes = fc.oneof(fc.constant(pageBytes), fc.integer({ min: 1, max: pageBytes }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('begin' as const), group, sizeBytes }) },
  fc.record({ kind: fc.constantFrom('complete' as const, 'free' as const), pick: fc.nat() }),
  fc.record({ kind: fc.constant('reopen' as const), group, pick: fc.nat() }),
  fc.record({
    kind: fc.constant('wait' as const),
    forMs: fc.constantFrom(1, 100, takeBackAfterMs, activeMs),
  }),
);

/** What the rules of `FillingSlots` say, worked out from all fills each time. */
class Model {
  readonly clock = new ManualClock();
  readonly tier: MemoryTier;
  readonly #pageCount: number;
  fills: Fill[] = [];
  readonly complete: number[] = [];
  readonly #askedMs = new Map<number, number>();
  #asking: number | undefined;
  /** Whether something that was held for long has been taken back in the allocation that is under way. */
  #hasLong = false;
  #contents = 0;

  constructor(pageCount: number) {
    this.#pageCount = pageCount;
    this.tier = new MemoryTier(allocateSharedMemory(pageCount * pageBytes, pageBytes, 1), 0, this.clock);
  }

  take({ kind, ...rest }: Step): void {
    if (kind === 'wait' && 'forMs' in rest) this.clock.advance(rest.forMs);
    else if (kind === 'begin' && 'sizeBytes' in rest) this.begin(rest.group, rest.sizeBytes);
    else if (kind === 'reopen' && 'group' in rest && 'pick' in rest) this.#reopen(rest.group, rest.pick);
    else if ('pick' in rest) this.#end(kind, rest.pick);
  }

  begin(asking: number, sizeBytes: number): void {
    const allowed = this.#mayUseMore(asking);
    const starving = this.#pagesOf(asking).size === 0;
    const spare = this.#sparePages();
    const overdue = this.fills.some(
      fill => fill.group !== asking && this.clock.monotonicMs() - fill.sinceMs >= takeBackAfterMs,
    );
    const pagesBefore = this.#pagesOf(asking).size;
    this.#askedMs.set(asking, this.clock.monotonicMs());
    this.#asking = asking;
    this.#hasLong = false;
    let place = -1;
    const slot = this.tier.allocate(
      sizeBytes,
      {
        contentHash: ++this.#contents,
        evicted: () => this.#evicted(place),
        moved: to => {
          this.#moved(place, to);
          place = to;
        },
        takenBack: () => this.#takeBack(place),
      },
      asking,
    );
    place = slot ?? -1;
    this.#asking = undefined;
    if (slot === undefined) {
      if (allowed) expect(spare, 'a page that nobody fills is given to whoever may have it').toBe(0);
      if (starving) expect(overdue, 'who has nothing gets what was held for long').toBe(false);
      return;
    }
    expect(this.fills.some(fill => fill.slot === slot)).toBe(false);
    this.fills.push({ group: asking, slot, sinceMs: this.clock.monotonicMs() });
    if (!allowed) expect(this.#pagesOf(asking).size, 'no further page beyond the share').toBe(pagesBefore);
  }

  finish(): void {
    for (const { slot } of this.fills) this.#complete(slot);
    this.fills = [];
    this.clock.advance(activeMs);
    for (let page = 0; page < this.#pageCount; page++) this.begin(99, pageBytes);
    expect(this.fills, 'no count was left behind').toHaveLength(this.#pageCount);
  }

  #end(kind: 'complete' | 'free' | string, pick: number): void {
    const fill = this.fills[pick % Math.max(1, this.fills.length)];
    if (!fill) return;
    this.fills = this.fills.filter(one => one !== fill);
    if (kind === 'free') this.tier.free(fill.slot);
    else this.#complete(fill.slot);
  }

  #complete(slot: number): void {
    this.tier.complete(slot);
    this.complete.push(slot);
  }

  #evicted(slot: number): void {
    expect(this.complete).toContain(slot);
    this.complete.splice(this.complete.indexOf(slot), 1);
  }

  #moved(from: number, to: number): void {
    expect(this.complete).toContain(from);
    this.complete[this.complete.indexOf(from)] = to;
  }

  #reopen(asking: number, pick: number): void {
    const slot = this.complete[pick % Math.max(1, this.complete.length)];
    if (slot === undefined) return;
    const allowed = this.#mayUseMore(asking);
    this.#askedMs.set(asking, this.clock.monotonicMs());
    expect(this.tier.reopen(slot, asking)).toBe(allowed);
    if (!allowed) return;
    this.complete.splice(this.complete.indexOf(slot), 1);
    this.fills.push({ group: asking, slot, sinceMs: this.clock.monotonicMs() });
  }

  #takeBack(slot: number): void {
    const fill = this.fills.find(one => one.slot === slot);
    const asking = this.#asking ?? -1;
    expect(fill?.group, 'nothing is taken back from itself').not.toBe(asking);
    const pages = this.#pagesOf(asking).size;
    const long = this.fills.filter(
      ({ sinceMs, slot: other }) =>
        pageOf(other) === pageOf(slot) && this.clock.monotonicMs() - sinceMs >= takeBackAfterMs,
    );
    const most = Math.max(...this.fills.map(one => this.#pagesOf(one.group).size));
    if (pages > 0)
      expect([pages < this.#fairShare(asking), most > this.#fairShare(asking)]).toEqual([true, true]);
    this.#hasLong ||= long.length > 0;
    expect(this.#hasLong, 'something in the page was held for long').toBe(true);
    this.fills = this.fills.filter(one => one.slot !== slot);
    this.#complete(slot);
  }

  #mayUseMore(asking: number): boolean {
    const own = this.#pagesOf(asking).size;
    const others = this.#others(asking);
    const pages = others.reduce((sum, other) => sum + this.#pagesOf(other).size, 0);
    if (own === 0 || others.length === 0) return true;
    return own < this.#fairShare(asking) || own + 1 < this.#pageCount - own - pages;
  }

  #fairShare(asking: number): number {
    return Math.max(1, Math.floor(this.#pageCount / (this.#others(asking).length + 2)));
  }

  #others(asking: number): number[] {
    const recent = [...this.#askedMs]
      .filter(([, askedMs]) => this.clock.monotonicMs() - askedMs < activeMs)
      .map(([group]) => group);
    return [...new Set([...recent, ...this.fills.map(fill => fill.group)])].filter(one => one !== asking);
  }

  #pagesOf(group: number): Set<number> {
    return new Set(this.fills.filter(fill => fill.group === group).map(({ slot }) => pageOf(slot)));
  }

  #sparePages(): number {
    return this.#pageCount - new Set(this.fills.map(({ slot }) => pageOf(slot))).size;
  }
}

function pageOf(slot: number): number {
  return Math.floor((slot * GRANULE_BYTES) / pageBytes);
}

it('law 8: no group of fills keeps a page from another one for long, uses more than its share, or leaves a count behind', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(8, 16, 32),
      fc.array(step, { maxLength: 200, size: 'max' }),
      (pages, steps) => {
        const model = new Model(pages);
        for (const one of steps) model.take(one);
        model.finish();
      },
    ),
    { numRuns: 300 },
  );
});
