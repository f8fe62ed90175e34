import { describe, expect, it } from 'vitest';
import { parseDictionary } from '../../../src/http/structured-fields.ts';

const integer = (value: number) => ({ kind: 'integer', value });
const isTrue = { kind: 'boolean', value: true };

describe('a dictionary (RFC 9651 §3.2)', () => {
  it.each<[string, Record<string, unknown>]>([
    ['', {}],
    ['   ', {}],
    ['a', { a: isTrue }],
    ['a=?0, b=?1', { a: { kind: 'boolean', value: false }, b: isTrue }],
    ['max-age=600', { 'max-age': integer(600) }],
    ['  a=1 ,\tb=-2  ', { a: integer(1), b: integer(-2) }],
    ['a=1,b=2', { a: integer(1), b: integer(2) }],
    ['a=1.5', { a: { kind: 'decimal', value: 1.5 } }],
    ['a="x, \\"y\\" \\\\"', { a: { kind: 'string', value: 'x, "y" \\' } }],
    ['a=tok/en:*', { a: { kind: 'token', value: 'tok/en:*' } }],
    [
      'a=:aGk=:, b=@1659578233',
      { a: { kind: 'other', value: ':aGk=:' }, b: { kind: 'other', value: '@1659578233' } },
    ],
    ['a=%"caf%c3%a9"', { a: { kind: 'other', value: '%"caf%c3%a9"' } }],
    ['a;x=1;y="z", b=2; q', { a: isTrue, b: integer(2) }],
    ['a=(1 "two";p=3  four);q, b=()', { a: undefined, b: undefined }],
    ['a=1, b=2, a=3', { b: integer(2), a: integer(3) }],
    ['*a.b_c-d=999999999999999', { '*a.b_c-d': integer(999_999_999_999_999) }],
  ])('%j', (field, members) => {
    const parsed = parseDictionary(field);
    expect(parsed && Object.fromEntries(parsed)).toEqual(members);
    expect([...(parsed?.keys() ?? [])]).toEqual(Object.keys(members));
  });

  it.each([
    'A=1',
    'a=',
    'a= 1',
    'a =1',
    'a=1,',
    ',a=1',
    'a=1 b=2',
    'a=1,,b=2',
    'max-age=10000, &&&&&',
    'a="open',
    'a="\u00e9"',
    'a="\\n"',
    'a=1.',
    'a=1.2345',
    'a=1234567890123456',
    'a=?2',
    'a=(1 2',
    'a=(1"two")',
    'a=:*:',
    'a;=1',
    'a;b=',
    '\ta',
  ])('is not %j, of which nothing counts (§4.2)', field => {
    expect(parseDictionary(field)).toBeUndefined();
  });

  it('is read in time that grows with its length only', () => {
    expect(parseDictionary(`a="${'\\"'.repeat(100_000)}`)).toBeUndefined();
    expect(parseDictionary(`a=1${' '.repeat(100_000)}x`)).toBeUndefined();
    expect(parseDictionary(`a=(${'1 '.repeat(50_000)})`)?.size).toBe(1);
  });
});
