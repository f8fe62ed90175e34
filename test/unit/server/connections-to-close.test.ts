import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CloseCandidate, connectionsToClose } from '../../../src/server/connections-to-close.ts';

const idle = (client: string, unusedChecks = 1): CloseCandidate => ({
  client,
  isIdle: true,
  unusedChecks,
  waitingChecks: 0,
});
const silent = (client: string, unusedChecks: number): CloseCandidate => ({
  client,
  isIdle: false,
  unusedChecks,
  waitingChecks: 0,
});
const waiting = (client: string, waitingChecks: number): CloseCandidate => ({
  ...busy(client),
  waitingChecks,
});
const busy = (client: string): CloseCandidate => silent(client, 0);
const times = <T>(count: number, of: T): T[] => Array.from({ length: count }, () => of);

it('frees as many places as there are connections that wait, and none that is used', () => {
  const places = [...times(3, busy('a')), ...times(3, idle('a'))];
  expect(connectionsToClose(places, ['a', 'a'])).toEqual(times(2, idle('a')));
  expect(connectionsToClose(places, times(9, 'a'))).toEqual(times(3, idle('a')));
  expect(connectionsToClose(places, [])).toEqual([]);
});

it.each([
  ['idle, of its own client', idle('a', 1), 'a', true],
  ['idle, of a client that has more', idle('a', 1), 'b', true],
  ['silent for a moment, of a client that has more', silent('a', 4), 'b', false],
  ['silent for half a second, of a client that has more', silent('a', 5), 'b', true],
  ['silent for less than five seconds, of its own client', silent('a', 49), 'a', false],
  ['silent for five seconds, of its own client', silent('a', 50), 'a', true],
])('a place that is %s goes accordingly', (_, place, claim, goes) => {
  expect(connectionsToClose([...times(3, busy('a')), place], [claim])).toEqual(goes ? [place] : []);
});

it.each([
  [idle('b', 9), false],
  [idle('b', 10), true],
  [silent('b', 49), false],
  [silent('b', 50), true],
])('a client that has more gets a place of one that has less only after longer: %o', (place, goes) => {
  expect(connectionsToClose([...times(3, busy('a')), place], ['a'])).toEqual(goes ? [place] : []);
});

it('the client that has most gives first, what it has not used for longest before the rest', () => {
  const places = [idle('b', 3), idle('b', 3), silent('a', 6), silent('a', 8), silent('a', 7)];
  expect(connectionsToClose(places, ['c'])).toEqual([silent('a', 8)]);
});

it('a request that has waited for a store for a second gives its place to a client that has fewer, the oldest first', () => {
  const places = [waiting('a', 12), waiting('a', 15), waiting('a', 9), busy('a')];
  expect(connectionsToClose(places, ['b'])).toEqual([waiting('a', 15)]);
  expect(connectionsToClose(places, ['b', 'c', 'd'])).toEqual([waiting('a', 15), waiting('a', 12)]);
  expect(connectionsToClose(places, ['a'])).toEqual([]);
  expect(connectionsToClose([...places, ...times(3, busy('b'))], ['b'])).toEqual([]);
  expect(connectionsToClose([...places, silent('a', 5)], ['b'])).toEqual([silent('a', 5)]);
});

it('no client is brought below those that it gives to', () => {
  const places = [...times(4, silent('a', 5)), busy('b')];
  expect(connectionsToClose(places, times(9, 'b'))).toHaveLength(1);
  expect(connectionsToClose(times(5, silent('a', 5)), times(9, 'b'))).toHaveLength(2);
});

it('however many wait: no more is freed than waits, nothing twice, nothing used', () => {
  const client = fc.constantFrom('a', 'b', 'c');
  const place = fc.record({
    client,
    isIdle: fc.boolean(),
    unusedChecks: fc.nat(60),
    waitingChecks: fc.constant(0),
  });
  fc.assert(
    fc.property(fc.array(place), fc.array(client), (places, waiting) => {
      const freed = connectionsToClose(places, waiting);
      expect(freed.length).toBeLessThanOrEqual(waiting.length);
      expect(new Set(freed).size).toBe(freed.length);
      for (const { unusedChecks } of freed) expect(unusedChecks).toBeGreaterThan(0);
    }),
  );
});
