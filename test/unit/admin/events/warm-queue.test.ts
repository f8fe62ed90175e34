import { expect, it } from 'vitest';
import { type WarmOutcome, WarmQueue } from '../../../../src/admin/events/warm-queue.ts';
import type { WarmOrder } from '../../../../src/gateway/operate/warm-object.ts';
import type { Warmed } from '../../../../src/gateway/read/warmed.ts';

/** A queue whose reads are answered by the test, in any order. */
function setup() {
  const asked: WarmOrder[] = [];
  const answers: ((warmed: Warmed) => void)[] = [];
  const counts: Partial<Record<WarmOutcome, number>> = {};
  const queue = new WarmQueue({
    warm: order => {
      asked.push(order);
      const { promise, resolve } = Promise.withResolvers<Warmed>();
      answers.push(resolve);
      return promise;
    },
    count: outcome => {
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    },
  });
  const answer = async (warmed: Warmed) => {
    answers.shift()?.(warmed);
    await new Promise(resolve => setImmediate(resolve));
  };
  return { queue, asked, counts, answer, keys: () => asked.map(({ key }) => key) };
}

const object = (...keys: [string, ...string[]]) => ({ bucket: 'b', keys, hash: 7 });
const numbered = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => object(`k${first + index}`));
const warmed: Warmed = { kind: 'warmed', bytes: 1 };

it('reads four objects at a time, in the order in which they came, and says that they have changed', async () => {
  const { queue, asked, keys, answer, counts } = setup();
  queue.add(numbered(0, 6));
  expect(keys()).toEqual(['k0', 'k1', 'k2', 'k3']);
  expect(asked[0]).toEqual({ bucket: 'b', key: 'k0', isChanged: true });
  await answer(warmed);
  expect(keys()).toHaveLength(5);
  for (let left = 5; left > 0; left--) await answer(warmed);
  expect(keys()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5']);
  expect([counts, queue.waiting]).toEqual([{ warmed: 6 }, 0]);
});

it('an object waits once, but one that changes while it is read is read again', async () => {
  const { queue, keys, answer } = setup();
  queue.add(numbered(0, 5));
  queue.add([object('k4'), object('k4'), { ...object('k4'), bucket: 'other' }, object('k0')]);
  expect(queue.waiting).toBe(3);
  for (let left = 7; left > 0; left--) await answer(warmed);
  expect(keys()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k4', 'k0']);
});

it('beyond 10 000 the ones that have waited longest are dropped and counted', async () => {
  const { queue, keys, answer, counts } = setup();
  queue.add(numbered(0, 10_004));
  expect([queue.waiting, counts]).toEqual([10_000, {}]);
  queue.add([object('new'), object('newer')]);
  expect([queue.waiting, counts]).toEqual([10_000, { dropped: 2 }]);
  await answer(warmed);
  expect(keys().at(-1)).toBe('k6');
});

it('names take 4 MiB at most, and room again when they have gone', async () => {
  const { queue, answer, counts } = setup();
  const long = (number: number) => object(`${number}`.padEnd(2 ** 18 - 100));
  queue.add([0, 1, 2, 3].map(long));
  queue.add(Array.from({ length: 8 }, (_, index) => long(10 + index)));
  for (let times = 0; times < 20; times++) queue.add([long(10)]);
  expect([queue.waiting, counts]).toEqual([8, {}]);
  queue.add([long(99)]);
  expect([queue.waiting, counts]).toEqual([8, { dropped: 1 }]);
  for (let left = 12; left > 0; left--) await answer(warmed);
  queue.add(Array.from({ length: 12 }, (_, index) => long(100 + index)));
  expect([queue.waiting, counts.dropped]).toEqual([8, 1]);
});

it.each<[Warmed, WarmOutcome]>([
  [warmed, 'warmed'],
  [{ kind: 'held', bytes: 1 }, 'warmed'],
  [{ kind: 'uncached' }, 'uncached'],
  [{ kind: 'refused', status: 404 }, 'refused'],
  [{ kind: 'failed', code: 'CIRCUIT_OPEN' }, 'failed'],
])('%j counts as %s', async (result, outcome) => {
  const { queue, answer, counts } = setup();
  queue.add([object('k')]);
  await answer(result);
  expect(counts).toEqual({ [outcome]: 1 });
});

it('of several spellings the first that the store has is read, and the object counts once', async () => {
  const { queue, keys, answer, counts } = setup();
  queue.add([object('a b', 'a+b', 'never')]);
  await answer({ kind: 'refused', status: 404 });
  await answer(warmed);
  expect([keys(), counts]).toEqual([['a b', 'a+b'], { warmed: 1 }]);
});

it('a stop gives up what waits, and neither another spelling nor anything that comes later is read', async () => {
  const { queue, keys, answer, counts } = setup();
  queue.add([object('k0', 'spelling'), ...numbered(1, 5)]);
  queue.stop();
  queue.add([object('late')]);
  expect([queue.waiting, counts]).toEqual([0, { dropped: 2 }]);
  await answer({ kind: 'refused', status: 404 });
  for (let left = 3; left > 0; left--) await answer(warmed);
  expect([keys(), counts]).toEqual([['k0', 'k1', 'k2', 'k3'], { dropped: 2, refused: 1, warmed: 3 }]);
});
