import { expect, it } from 'vitest';
import { RequestRules } from '../../../../src/gateway/request/request-rules.ts';

const nothing = { set: {}, remove: [] };
const lines = (...values: string[]) =>
  values.map(value => ({ name: 'accept-language', value, store: false }));

it('lines of Accept-Language are one list, and what was normalised stays so', () => {
  const rules = new RequestRules(nothing, ['de', 'en']);
  const once = rules.applied(lines('fr', 'en;q=0.5', 'de'));
  expect(once).toEqual(lines('de, en;q=0.9'));
  expect(rules.applied(once)).toEqual(once);
});

it('other fields stay as they are and where they are', () => {
  const others = [
    { name: 'accept', value: 'x/y', store: false },
    { name: 'via', value: '1.1 a', store: false },
  ];
  const rules = new RequestRules(nothing, ['de']);
  expect(rules.applied(others)).toEqual(others);
  expect(rules.applied([...lines('fr'), ...others])).toEqual(others);
});

it('what all clients are given counts before what one accepts', () => {
  const given = new RequestRules({ set: { 'accept-language': 'fr' }, remove: [] }, ['de']);
  expect(given.applied(lines('de'))).toEqual(lines('fr'));
  const removed = new RequestRules({ set: {}, remove: ['accept-language'] }, ['de']);
  expect(removed.applied(lines('de'))).toEqual([]);
});

it('what clients accept is still theirs, so that it may be shown', () => {
  expect(new RequestRules(nothing, ['de']).changes('accept-language')).toBe(false);
});
