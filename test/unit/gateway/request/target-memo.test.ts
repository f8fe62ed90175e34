import { expect, it } from 'vitest';
import { TargetMemo } from '../../../../src/gateway/request/target-memo.ts';

const LIMIT_BYTES = 8 * 1024 * 1024;

interface Target {
  readonly host: string;
  readonly url: string;
}

/** Adds `count` targets and returns how many of them are still found. */
function held(count: number, target: (number: number) => Target, costBytes = 0): number {
  const memo = new TargetMemo<number>();
  for (let number = 0; number < count; number++) {
    const { host, url } = target(number);
    memo.add(host, url, number, costBytes);
  }
  const numbers = Array.from({ length: count }, (_, number) => number);
  return numbers.filter(number => {
    const { host, url } = target(number);
    const found = memo.find(host, url);
    if (found !== undefined) expect(found).toBe(number);
    return found !== undefined;
  }).length;
}

const padded = (number: number, length: number) => String(number).padStart(length, 'x');

it.each([
  ['hosts', 4_000, (number: number) => ({ host: padded(number, 4_000), url: '/' })],
  ['URLs', 4_000, (number: number) => ({ host: 'h', url: padded(number, 4_000) })],
  [
    'hosts and URLs',
    4_000,
    (number: number) => ({ host: padded(number, 2_000), url: padded(number, 2_000) }),
  ],
])('long %s count with their length towards the limit of bytes', (_what, lengthBytes, target) => {
  const count = held(6_000, target);
  expect(count * lengthBytes).toBeLessThan(LIMIT_BYTES);
  expect(count * lengthBytes).toBeGreaterThan(LIMIT_BYTES / 4);
});

it('what a value costs counts as well', () => {
  const count = held(6_000, number => ({ host: 'h', url: `/${number}` }), 4_000);
  expect(count * 4_000).toBeLessThan(LIMIT_BYTES);
  expect(count * 4_000).toBeGreaterThan(LIMIT_BYTES / 4);
});

it('a host of its own for each URL costs a map each, so that fewer fit', () => {
  const shared = held(20_000, number => ({ host: 'h', url: `/${number}` }), 200);
  const apart = held(20_000, number => ({ host: `h${number}`, url: '/' }), 200);
  expect(apart).toBeLessThan(shared);
});

it('what is full gives way to the latest half, not to a single one', () => {
  const memo = new TargetMemo<string>();
  const add = (number: number) => memo.add('h', `/${number}`, `${number}`, 0);
  for (let number = 0; number < 10_000; number++) add(number);
  expect([memo.find('h', '/0'), memo.find('h', '/9999')]).toEqual(['0', '9999']);
  add(10_000);
  expect([memo.find('h', '/0'), memo.find('h', '/4999')]).toEqual([undefined, undefined]);
  expect([memo.find('h', '/5000'), memo.find('h', '/10000')]).toEqual(['5000', '10000']);
});

it('a value that is added again is the one that is found', () => {
  const memo = new TargetMemo<string>();
  memo.add('h', '/', 'old', 0);
  for (let number = 0; number < 5_000; number++) memo.add('h', `/${number}`, 'other', 0);
  memo.add('h', '/', 'new', 0);
  expect(memo.find('h', '/')).toBe('new');
});
