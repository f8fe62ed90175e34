import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LaterOwner } from '../../src/cache/slot-owner.ts';
import { SlotOwners } from '../../src/cache/slot-owners.ts';

const RUNS = 4;
const ownerNamed = (name: string): LaterOwner & { readonly name: string } => ({
  name,
  evicted: () => undefined,
  moved: () => undefined,
});
const common = ownerNamed('common');
const all = [common, ...['a', 'b', 'c'].map(ownerNamed)];

const step = fc.record({
  run: fc.nat(RUNS - 1),
  owner: fc.option(fc.constantFrom(...all), { nil: undefined }),
});

it('tells for each run who got it last, whoever had it before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), steps => {
      const owners = new SlotOwners(RUNS);
      owners.expectCommon(common);
      const model = new Map<number, LaterOwner>();
      for (const { run, owner } of steps) {
        if (owner) {
          owners.set(run, owner);
          model.set(run, owner);
        } else {
          owners.remove(run);
          model.delete(run);
        }
        for (let run = 0; run < RUNS; run++) {
          expect(owners.get(run)).toBe(model.get(run));
          expect(owners.has(run)).toBe(model.has(run));
        }
        const ofCommon = [...model].filter(([, owner]) => owner === common).map(([run]) => run);
        expect([...owners.ofCommon()].filter(run => run !== undefined)).toEqual(
          ofCommon.sort((one, other) => one - other),
        );
      }
    }),
  );
});

it('has one common owner, whose slots never become those of another', () => {
  const owners = new SlotOwners(RUNS);
  owners.expectCommon(common);
  expect(() => owners.expectCommon(ownerNamed('another'))).toThrow(RangeError);
});

it('no step of a walk looks at more than 1,024 runs, however few the common owner has', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(20_000), { maxLength: 20 }), fc.nat(20_000), (runs, last) => {
      const owners = new SlotOwners(100_000);
      owners.expectCommon(common);
      owners.set(last, ownerNamed('a'));
      for (const run of runs) owners.set(run, common);
      let [steps, from] = [0, 0];
      for (const run of owners.ofCommon()) {
        steps++;
        if (run === undefined) from += 1_024;
        else {
          expect(run - from).toBeLessThanOrEqual(1_024);
          from = run;
        }
      }
      expect(Math.max(last, ...runs) - from, 'to the end of all that are used').toBeLessThanOrEqual(1_024);
      expect(steps).toBeLessThanOrEqual(runs.length + owners.emptySteps);
      expect(owners.emptySteps, 'no more is looked at than was used').toBeLessThanOrEqual(20);
    }),
  );
});
