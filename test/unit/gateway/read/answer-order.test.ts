import { beforeEach, expect, it } from 'vitest';
import { AnswerOrder } from '../../../../src/gateway/read/answer-order.ts';

let order: AnswerOrder;

beforeEach(() => {
  order = new AnswerOrder();
});

it('an answer is outdated by one to a later question of the same name, and by no other', () => {
  const [first, second] = [order.begin('k'), order.begin('k')];
  order.learned('k', 'name', second);
  expect(order.isOutdated('k', ['name'], first)).toBe(true);
  expect(order.isOutdated('k', ['other', 'name'], first)).toBe(true);
  expect(order.isOutdated('k', ['other'], first)).toBe(false);
  expect(order.isOutdated('k', ['name'], second)).toBe(false);
  expect(order.isOutdated('k', ['name'], order.begin('k'))).toBe(false);
  order.learned('k', 'name', first);
  expect(order.isOutdated('k', ['name'], first)).toBe(true);
});

it('a refusal is of what was asked before, of its version, or of all', () => {
  const [first, second] = [order.begin('k'), order.begin('k')];
  order.refused('k', 'v1', second);
  expect(order.isRefusedSince('k', ['v1'], first)).toBe(true);
  expect(order.isRefusedSince('k', ['v1'], second)).toBe(false);
  expect(order.isRefusedSince('k', ['v2', undefined], first)).toBe(false);
  order.refused('k', undefined);
  expect(order.isRefusedSince('k', ['v2'], first)).toBe(true);
  expect(order.isRefusedSince('k', [], order.begin('k'))).toBe(false);
});

it('nothing is known of an object about which no question is under way', () => {
  const [first, second] = [order.begin('k'), order.begin('k')];
  order.learned('k', 'name', second);
  order.refused('k', undefined);
  order.end('k');
  expect(order.isOutdated('k', ['name'], first)).toBe(true);
  order.end('k');
  expect([order.isOutdated('k', ['name'], first), order.isRefusedSince('k', [], first)]).toEqual([
    false,
    false,
  ]);
  order.learned('k', 'name', second);
  order.end('k');
  expect(order.isOutdated('k', ['name'], first)).toBe(false);
});

it('law 8: beyond so many names none is taken for one that nothing is known of', () => {
  const [first, ...others] = Array.from({ length: 101 }, () => order.begin('k'));
  others.forEach((number, index) => {
    order.learned('k', `${index}`, number);
  });
  const known = others.map((_, index) => order.isOutdated('k', [`${index}`], first ?? 0));
  expect(known).not.toContain(false);
  expect(order.isOutdated('k', ['other'], first ?? 0)).toBe(true);
  expect(order.isOutdated('k', ['other'], others.at(-1) ?? 0)).toBe(false);
});

it('law 6: of what was learned since a refusal, nothing counts that is not certain, however many names there are', () => {
  const [refused, ...others] = Array.from({ length: 101 }, () => order.begin('k'));
  others.forEach((number, index) => {
    order.learned('k', `${index}`, number);
  });
  expect(order.isLearnedSince('k', '99', refused)).toBe(true);
  expect(order.isLearnedSince('k', '99', others.at(-1))).toBe(false);
  expect(order.isLearnedSince('k', 'older', refused)).toBe(false);
});

it('nothing was learned since a refusal that is later than all that was asked', () => {
  const [first, second] = [order.begin('k'), order.begin('k')];
  order.learned('k', 'name', second);
  expect(order.isLearnedSince('k', 'name', first)).toBe(true);
  expect(order.isLearnedSince('k', 'name')).toBe(false);
});
