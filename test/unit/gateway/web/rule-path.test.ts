import { expect, it } from 'vitest';
import { rulePath } from '../../../../src/gateway/web/rule-path.ts';

it.each([
  ['/a/b', '/a/b'],
  ['/a/', '/a/'],
  ['/%61/b%20c', '/a/b c'],
  ['//a///b', '/a/b'],
  ['/x/../a', '/a'],
  ['/x/%2e%2e/a', '/a'],
  ['/x%2f..%2fa', '/a'],
  ['/./a', '/a'],
  ['/../a', '/a'],
  ['/a%2', '/a%2'],
  ['/a.b', '/a.b'],
  ['*', '*'],
])('%s has the rules of %s', (path, same) => {
  expect(rulePath(path)).toBe(same);
});
