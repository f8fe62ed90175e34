import { expect, it } from 'vitest';
import { readFormFields } from '../../../../../src/gateway/pass/write/form-fields.ts';

const read = (fields: Record<string, string>) => readFormFields(new Map(Object.entries(fields)), true);

it('passes the fields that PutObject takes, in the store’s names', () => {
  const { passed, store } = read({
    key: 'k',
    acl: 'private',
    'x-amz-meta-a': 'é',
    'content-type': 'text/plain',
  });
  expect(passed).toEqual([
    { name: 'acl', value: 'private', store: true },
    { name: 'meta-a', value: '\u00c3\u00a9', store: true },
    { name: 'content-type', value: 'text/plain', store: false },
  ]);
  expect(store.get('acl')).toBe('private');
});

it.each([
  { 'x-amz-acl': 'public-read', acl: 'private' },
  { 'x-amz-acl': 'public-read', 'x-store-acl': 'private' },
  { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-store-checksum-crc32': 'BBBBBB==' },
])('a field under two names would be judged by one of them and sent with both: %j is refused', fields => {
  expect(() => read(fields)).toThrow(expect.objectContaining({ code: 'MalformedPOSTRequest' }));
});

it.each([
  { 'x-amz-meta-a b': 'c' },
  { 'x-amz-meta-é': 'c' },
  { 'x-amz-meta-a': 'b\nc' },
  { 'x-amz-meta-a': '\u0000' },
])('what no header can carry is refused: %j', fields => {
  expect(() => read(fields)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }));
});
