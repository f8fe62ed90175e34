import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { FairTurns, type Turn } from '../../../src/base/fair-turns.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const limits = { turns: 2, waiting: 6, waitMs: 1_000 };
const settled = () => new Promise(resolve => setImmediate(resolve));
const overload = () => new Error('no turn');
const never = new AbortController().signal;
let clock: ManualClock;
let turns: FairTurns;
/** The turns given, in order, by the names of their requests. */
let given: Map<string, Turn>;
let refused: string[];

beforeEach(() => {
  clock = new ManualClock();
  turns = new FairTurns(limits, clock, overload);
  given = new Map();
  refused = [];
});

/** Asks for a turn of the client that is the first letter of `name`. */
function take(name: string, signal = never): void {
  turns.take(name.slice(0, 1), signal).then(
    turn => given.set(name, turn),
    () => refused.push(name),
  );
}

async function end(...names: string[]): Promise<string[]> {
  const before = new Set(given.keys());
  for (const name of names) given.get(name)?.end();
  await settled();
  return Array.from(given.keys()).filter(name => !before.has(name));
}

it('gives the next turn to the client that has the fewest, and turns about to those that have as many', async () => {
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'b2']) take(name);
  await settled();
  expect(Array.from(given.keys())).toEqual(['a1', 'a2']);
  expect(await end('a1')).toEqual(['b1']);
  expect(await end('a2')).toEqual(['a3']);
  expect(await end('b1')).toEqual(['c1']);
  expect(await end('c1')).toEqual(['b2']);
  expect(await end('a3', 'a3', 'a3')).toEqual(['a4']);
  expect(turns.counts).toEqual({ given: 2, waiting: 1 });
});

it('when too many wait, the client with the most loses its newest to one with fewer, and gets no more', async () => {
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'a9']) take(name);
  await settled();
  expect(refused).toEqual(['a9']);
  for (const name of ['b1', 'b2', 'b3', 'b4']) take(name);
  await settled();
  expect(refused.toSorted()).toEqual(['a6', 'a7', 'a8', 'a9', 'b4']);
  expect(turns.counts).toEqual({ given: 2, waiting: 6 });
});

it('refuses who has waited for too long', async () => {
  for (const name of ['a1', 'a2', 'b1']) take(name);
  await settled();
  clock.advance(500);
  take('c1');
  await settled();
  clock.advance(500);
  await settled();
  expect([refused, turns.counts.waiting]).toEqual([['b1'], 1]);
  expect(await end('a1')).toEqual(['c1']);
  clock.advance(10_000);
  await settled();
  expect(refused).toEqual(['b1']);
});

it('forgets who leaves, waiting or not yet', async () => {
  const left = new AbortController();
  for (const name of ['a1', 'a2']) take(name);
  take('b1', left.signal);
  await settled();
  left.abort(new Error('left'));
  take('b2', left.signal);
  await settled();
  expect([refused.toSorted(), turns.counts]).toEqual([['b1', 'b2'], { given: 2, waiting: 0 }]);
});

it('gives no more turns than there are, leaves none unused, and is empty in the end', async () => {
  const step = fc.record({
    client: fc.constantFrom('a', 'b', 'c'),
    kind: fc.constantFrom('take', 'end', 'leave'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const fair = new FairTurns(limits, clock, overload);
      const running: Turn[] = [];
      const signals: AbortController[] = [];
      for (const { client, kind } of steps) {
        const left = new AbortController();
        if (kind === 'end') running.shift()?.end();
        else if (kind === 'leave') signals.shift()?.abort();
        else {
          signals.push(left);
          fair.take(client, left.signal).then(
            turn => running.push(turn),
            () => undefined,
          );
        }
        await settled();
        const { given: count, waiting } = fair.counts;
        expect(count).toBe(running.length);
        expect(count).toBeLessThanOrEqual(limits.turns);
        expect(waiting).toBeLessThanOrEqual(limits.waiting);
        if (waiting > 0) expect(count).toBe(limits.turns);
      }
      for (const left of signals) left.abort();
      await settled();
      for (const turn of running) turn.end();
      expect(fair.counts).toEqual({ given: 0, waiting: 0 });
    }),
    { numRuns: 100 },
  );
});
