import { expect, it } from 'vitest';
import { AnswerRules } from '../../../../src/gateway/request/answer-rules.ts';

it.each([
  [200, 'rule'],
  [206, 'rule'],
  [304, 'rule'],
  ...[204, 301, 302, 307, 308, 403, 404, 410, 503].map(status => [status, 'own'] as const),
] as const)('for how long a %d is fresh is said by the %s', (status, expected) => {
  const fresh = { 'cache-control': 'rule', expires: 'rule', 'cdn-cache-control': 'rule' };
  const rules = new AnswerRules({ set: fresh, add: {}, remove: ['pragma'] }, undefined);
  const own = Object.keys(fresh).flatMap(name => [name, 'own']);
  const applied = rules.applied([...own, 'Pragma', 'own'], status);
  const values = applied.filter((_, index) => index % 2 === 1);
  expect(new Set(values)).toEqual(new Set([expected]));
  expect(applied.includes('Pragma')).toBe(expected === 'own');
});
