import { expect, it } from 'vitest';
import { tagsOfField } from '../../../src/http/cache-tags.ts';

it.each([
  ['cache-tag', 'a, b ,c', ['a', 'b', 'c']],
  ['cache-tag', ' , a b,,', ['a b']],
  ['surrogate-key', ' a  b\tc,d ', ['a', 'b', 'c,d']],
  ['cache-groups', '"a", "b c";x=1;y="é, z"', []],
  ['cache-groups', '"a", "b c";x=1;y="e, z"', ['a', 'b c']],
  ['cache-groups', '', []],
  ['x-cache-tag', 'a', []],
  ['cache-tag', Buffer.from('é, 🎉').toString('latin1'), ['é', '🎉']],
  ['surrogate-key', `caf\xe9 ${Buffer.from('東\u3000京').toString('latin1')}`, ['café', '東\u3000京']],
  ['surrogate-key', Buffer.from('voilà b').toString('latin1'), ['voilà', 'b']],
  ['cache-tag', 'a\xa0, \xa0b', ['a\xa0', '\xa0b']],
] as const)('%s: %j is read as %j', (name, value, tags) => {
  expect(tagsOfField(name, value)).toEqual(tags);
});

it.each([
  ['"a \\"quoted\\" \\\\ one"', ['a "quoted" \\ one']],
  ['token, 12, ("inner" "list");p, "b"', ['b']],
  ['"a" ;p=1,\t"b"', ['a', 'b']],
  ['"a,b"', ['a,b']],
])('RFC 9875 §2: members of %j that are strings are groups', (value, groups) => {
  expect(tagsOfField('cache-groups', value)).toEqual(groups);
});

it.each(['"a', '"a" "b"', '"a",', ',"a"', '"a",,"b"', '"a\\b"', '"a"b'])(
  'RFC 9651 §4.2: nothing is read of %j, which is not well-formed',
  value => {
    expect(tagsOfField('cache-groups', value)).toEqual([]);
  },
);
