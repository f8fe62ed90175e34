import { describe, expect, it } from 'vitest';
import { parseQuery, queryValue } from '../../../src/s3/query.ts';

describe('a query', () => {
  it('keeps order, repeated and empty parameters', () => {
    expect(parseQuery('b=2&a=1&b=&acl&=x&&c==')).toEqual([
      { name: 'b', value: '2' },
      { name: 'a', value: '1' },
      { name: 'b', value: '' },
      { name: 'acl', value: '' },
      { name: '', value: 'x' },
      { name: 'c', value: '=' },
    ]);
    expect(parseQuery('')).toEqual([]);
  });

  it('is decoded once, names included, with + as a blank', () => {
    expect(parseQuery('%61cl=%252F&n=a+b%2Bc&u=%C3%A9')).toEqual([
      { name: 'acl', value: '%2F' },
      { name: 'n', value: 'a b+c' },
      { name: 'u', value: 'é' },
    ]);
  });

  it('gives the first value of a name', () => {
    const query = parseQuery('a=1&a=2&b');
    expect(queryValue(query, 'a')).toBe('1');
    expect(queryValue(query, 'b')).toBe('');
    expect(queryValue(query, 'c')).toBeUndefined();
  });

  it.each(['a=%zz', 'a=%', '%ff=1', 'a=%C0%80', 'a=\u00ff'])('is refused: %j (row 228)', raw => {
    expect(() => parseQuery(raw)).toThrow(expect.objectContaining({ code: 'InvalidURI' }));
  });
});
