import { expect, it } from 'vitest';
import { rulePaths } from '../../../../src/gateway/web/rule-path.ts';

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
  ['/%61%2', '/a%2'],
  ['/%61/%ff', '/a/%ff'],
  ['/a.b', '/a.b'],
  ['/x\\a', '/x/a'],
  ['*', '*'],
])('%s has the rules of %s', (path, same) => {
  expect(rulePaths(path)[0]).toBe(same);
});

it.each([
  ['/private;x/a', '/private/a'],
  ['/;/private/a', '/private/a'],
  ['/private%3Bx/a', '/private/a'],
  ['/private;x/%ff', '/private/%ff'],
  ['/private/x%2f..%2f..%2fa', '/private/x%2f..%2f..%2fa'],
])('%s may also mean %s', (path, other) => {
  expect(rulePaths(path)).toContain(other);
});

it('most paths mean one thing', () => {
  for (const path of ['/', '/a/b.css', '/a-b/c_d', '*']) expect(rulePaths(path)).toEqual([path]);
});
