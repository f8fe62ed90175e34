import { expect, it } from 'vitest';
import { UnfinishedNames } from '../../../../src/gateway/web/unfinished-names.ts';

const [one, other] = [{ text: '1:a' }, { text: '1:b' }];

it('no name is unfinished at first', () => {
  expect(new UnfinishedNames().has(one, 0)).toBe(false);
});

it.each([
  ['refused', 60_000],
  ['failed', 5_000],
] as const)('one whose rest was %s is for %d ms, whichever way the clock goes', (how, forMs) => {
  const names = new UnfinishedNames();
  names[how](one, 100_000);
  const isAt = (nowMs: number) => names.has(one, nowMs);
  expect([isAt(100_000), isAt(100_000 + forMs - 1), isAt(100_000 + forMs)]).toEqual([true, true, false]);
  expect([isAt(100_001 - forMs), isAt(100_000 - forMs), names.has(other, 100_000)]).toEqual([
    ...[true, false, false],
  ]);
});

it('a failure makes that no shorter, and those that follow no longer', () => {
  const names = new UnfinishedNames();
  names.refused(one, 0);
  names.failed(one, 1_000);
  expect(names.has(one, 59_999)).toBe(true);
  names.failed(other, 0);
  names.failed(other, 4_999);
  expect(names.has(other, 5_000)).toBe(false);
});

it('of many long names those are remembered that came last', () => {
  const names = new UnfinishedNames();
  const long = Array.from({ length: 200 }, (_, number) => ({ text: `${number}`.padEnd(8_192, 'x') }));
  for (const name of long) names.refused(name, 0);
  const remembered = long.filter(name => names.has(name, 1));
  expect(remembered).toEqual(long.slice(-128));
});
