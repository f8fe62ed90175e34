import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HoleTable } from '../../src/cache/hole-table.ts';
import { RunTable } from '../../src/cache/run-table.ts';

const pages = 4;
const granulesPerPage = 40;

type Step =
  | { readonly kind: 'take'; readonly length: number }
  | { readonly kind: 'take in'; readonly page: number; readonly length: number }
  | { readonly kind: 'free' | 'move'; readonly pick: number }
  | { readonly kind: 'set aside'; readonly page: number }
  | { readonly kind: 'give back' };

const length = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: granulesPerPage }));
const page = fc.nat(pages - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('take' as const), length }) },
  fc.record({ kind: fc.constant('take in' as const), page, length }),
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('free' as const, 'move' as const), pick: fc.nat() }),
  },
  fc.record({ kind: fc.constant('set aside' as const), page }),
  fc.record({ kind: fc.constant('give back' as const) }),
);

/** What is taken, granule by granule. */
class Model {
  readonly runs = new RunTable(pages, granulesPerPage);
  readonly holes = new HoleTable(this.runs);
  /** By granule: the run that was taken there. */
  readonly taken = new Map<number, number>();
  aside: number | undefined;

  constructor() {
    for (let first = 0; first < pages * granulesPerPage; first += granulesPerPage)
      this.holes.add(this.runs.create(first, granulesPerPage));
  }

  take(step: Step): void {
    if (step.kind === 'take') {
      const longest = this.#longestHole(one => one !== this.aside);
      this.#took(this.holes.take(step.length), step.length, longest);
    } else if (step.kind === 'take in' && step.page !== this.aside)
      this.#took(
        this.holes.takeIn(step.page, step.length),
        step.length,
        this.#longestHole(one => one === step.page),
      );
    else if (step.kind === 'free') this.#free(this.#picked(step.pick));
    else if (step.kind === 'move') this.#move(this.#picked(step.pick));
    else if (step.kind === 'set aside' && this.aside === undefined) {
      this.holes.setAside(step.page * granulesPerPage, (step.page + 1) * granulesPerPage);
      this.aside = step.page;
    } else if (step.kind === 'give back') this.giveBack();
  }

  giveBack(): void {
    if (this.aside !== undefined) this.holes.giveBack();
    this.aside = undefined;
  }

  /** Each granule is in one run, holes are what was not taken, and no two of them lie side by side. */
  check(): void {
    let granules = 0;
    let sideBySide = 0;
    const seen: (number | undefined)[] = [];
    for (let first = 0; first < pages * granulesPerPage; first += granulesPerPage) {
      let wasHole = false;
      for (const run of this.runs.inPage(first)) {
        const isHole = this.holes.isHole(run);
        if (isHole && wasHole) sideBySide++;
        if (isHole) granules += this.runs.lengthOf(run);
        for (let left = this.runs.lengthOf(run); left > 0; left--) seen.push(isHole ? undefined : run);
        wasHole = isHole;
      }
    }
    const taken = Array.from({ length: pages * granulesPerPage }, (_, at) => this.taken.get(at));
    expect([seen, sideBySide, this.holes.granules]).toEqual([taken, 0, granules]);
  }

  freeAll(): void {
    for (const run of new Set(this.taken.values())) this.#free(run);
  }

  #took(run: number | undefined, wanted: number, longest: number): void {
    expect(run !== undefined, 'room is found where there is any').toBe(longest >= wanted);
    if (run === undefined) return;
    expect(this.runs.lengthOf(run)).toBe(wanted);
    this.#mark(run, run);
  }

  #free(run: number | undefined): void {
    if (run === undefined) return;
    this.#mark(run, undefined);
    this.holes.add(run);
  }

  #move(run: number | undefined): void {
    const place = run === undefined ? undefined : this.holes.take(this.runs.lengthOf(run));
    if (run === undefined || place === undefined) return;
    this.#mark(run, undefined);
    this.runs.exchange(run, place);
    this.#mark(run, run);
    this.holes.add(place);
  }

  /** @param by the run whose granules they are from now on */
  #mark(run: number, by: number | undefined): void {
    for (let at = this.runs.startOf(run); at < this.runs.endOf(run); at++) {
      if (this.taken.has(at) !== (by === undefined)) throw new Error(`granule ${at} was taken twice`);
      if (by === undefined) this.taken.delete(at);
      else this.taken.set(at, by);
    }
  }

  #picked(pick: number): number | undefined {
    const all = [...new Set(this.taken.values())];
    return all[pick % Math.max(1, all.length)];
  }

  #longestHole(isWanted: (page: number) => boolean): number {
    let [longest, current] = [0, 0];
    for (let at = 0; at < pages * granulesPerPage; at++) {
      if (at % granulesPerPage === 0 || this.taken.has(at)) current = 0;
      if (this.taken.has(at) || !isWanted(Math.floor(at / granulesPerPage))) continue;
      longest = Math.max(longest, ++current);
    }
    return longest;
  }
}

it('what is taken never overlaps, a hole is found where there is one, and holes that lie side by side are one', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), steps => {
      const model = new Model();
      for (const one of steps) {
        model.take(one);
        model.check();
      }
      model.giveBack();
      model.freeAll();
      model.check();
      for (let left = pages; left > 0; left--) model.take({ kind: 'take', length: granulesPerPage });
      expect(model.holes.granules).toBe(0);
    }),
    { numRuns: 50 },
  );
});
