import { describe, expect, it } from 'vitest';
import { headerLines, headerValue } from '../../../src/http/header-list.ts';

const list = ['Host', 'example.test', 'X-Tag', 'one', 'x-tag', 'two', 'Empty', ''];

describe('a list of headers', () => {
  it('finds a value whatever the case of its name', () => {
    expect(headerValue(list, 'host')).toBe('example.test');
  });

  it('joins lines of one name (RFC 9110 §5.3)', () => {
    expect(headerValue(list, 'x-tag')).toBe('one, two');
  });

  it('tells an empty value from none', () => {
    expect(headerValue(list, 'empty')).toBe('');
    expect(headerValue(list, 'absent')).toBeUndefined();
  });

  it('gives its lines in order', () => {
    expect([...headerLines(['A', '1', 'b', '2'])]).toEqual([
      ['A', '1'],
      ['b', '2'],
    ]);
  });
});
