import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  advance,
  type ConditionState,
  type ConditionTiming,
  clearDelayMs,
  inactive,
  type Step,
  type Verdict,
} from '../../src/alerts/engine/lifecycle.ts';

const HOUR_MS = 3_600_000;
const STEP_MS = 5_000;

const verdicts = fc.array(fc.constantFrom<Verdict>('breach', 'clear', 'no-data'), {
  maxLength: 400,
  size: 'max',
});
const patience: fc.Arbitrary<ConditionTiming> = fc.record({
  forMs: fc.constantFrom(0, 5_000, 60_000),
  clearForMs: fc.constantFrom(5_000, 30_000, 60_000),
});

interface Walked extends Step {
  readonly before: ConditionState;
  readonly verdict: Verdict;
  readonly atMs: number;
}

function walk(course: readonly Verdict[], patient: ConditionTiming): readonly Walked[] {
  let standing = inactive;
  return course.map((verdict, index) => {
    const atMs = index * STEP_MS;
    const before = standing;
    const step = advance(before, verdict, atMs, patient);
    standing = step.standing;
    return { ...step, before, verdict, atMs };
  });
}

it('only ever fires on a breach, and only after an unbroken run of them as long as the rule waits', () => {
  fc.assert(
    fc.property(verdicts, patience, (course, patient) => {
      const steps = walk(course, patient);
      for (const [index, { transition, atMs }] of steps.entries()) {
        if (transition !== 'fired') continue;
        const run = steps.slice(0, index + 1).filter(step => atMs - step.atMs <= patient.forMs);
        expect(run.map(({ verdict }) => verdict)).toEqual(run.map(() => 'breach'));
        expect(atMs - (run[0]?.atMs ?? Number.NaN)).toBe(patient.forMs);
      }
    }),
  );
});

it('fires and is resolved in turn, never twice the same', () => {
  fc.assert(
    fc.property(verdicts, patience, (course, patient) => {
      const told = walk(course, patient).flatMap(({ transition }) =>
        transition === 'fired' || transition === 'resolved' ? [transition] : [],
      );
      expect(told).toEqual(told.map((_, index) => (index % 2 === 0 ? 'fired' : 'resolved')));
    }),
  );
});

it('names each change of state by its transition and changes nothing without one', () => {
  const between: Readonly<Record<string, string>> = {
    'inactive pending': 'pending',
    'inactive firing': 'fired',
    'pending firing': 'fired',
    'pending inactive': 'dropped',
    'firing inactive': 'resolved',
  };
  fc.assert(
    fc.property(verdicts, patience, (course, patient) => {
      for (const { before, standing, transition } of walk(course, patient)) {
        expect(transition).toBe(between[`${before.kind} ${standing.kind}`] ?? 'none');
      }
    }),
  );
});

it('is not resolved before no breach was seen for as long as its earlier firings ask', () => {
  fc.assert(
    fc.property(verdicts, patience, (course, patient) => {
      const steps = walk(course, patient);
      for (const { before, transition, atMs } of steps) {
        if (transition !== 'resolved' || before.kind !== 'firing') continue;
        const calmMs = clearDelayMs(patient, before.firings.length);
        expect(atMs - before.seenMs).toBeGreaterThanOrEqual(Math.min(calmMs, 15 * 60_000));
        const since = steps.filter(step => step.atMs > before.seenMs && step.atMs <= atMs);
        expect(since.map(({ verdict }) => verdict)).not.toContain('breach');
      }
    }),
  );
});

it('fires at most six times in any hour, whatever happens', () => {
  const hour = fc.array(fc.constantFrom<Verdict>('breach', 'clear'), { minLength: 720, maxLength: 720 });
  fc.assert(
    fc.property(hour, course => {
      const firings = walk(course, { forMs: 0, clearForMs: 60_000 }).filter(
        ({ transition }) => transition === 'fired',
      );
      expect(firings.length).toBeLessThanOrEqual(6);
    }),
    { numRuns: 30 },
  );
});

it('remembers no firing for longer than an hour', () => {
  fc.assert(
    fc.property(verdicts, patience, (course, patient) => {
      for (const { standing, atMs } of walk(course, patient)) {
        for (const firedMs of standing.firings) expect(atMs - firedMs).toBeLessThan(HOUR_MS);
      }
    }),
  );
});

it('ends every episode once all is well', () => {
  fc.assert(
    fc.property(verdicts, patience, (course, patient) => {
      const calm = Array.from({ length: HOUR_MS / STEP_MS }, (): Verdict => 'clear');
      expect(walk([...course, ...calm], patient).at(-1)?.standing.kind).toBe('inactive');
    }),
  );
});
