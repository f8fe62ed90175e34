import { describe, expect, it } from 'vitest';
import {
  equalsStrongly,
  equalsWeakly,
  parseEntityTag,
  parseEntityTagList,
} from '../../../src/http/entity-tag.ts';

const strong = (opaque: string) => ({ isWeak: false, opaque });
const weak = (opaque: string) => ({ isWeak: true, opaque });

describe('a list of entity tags', () => {
  it.each([
    ['"a"', [strong('a')]],
    ['a', [strong('a')]],
    ['W/"a"', [weak('a')]],
    ['W/a', [weak('a')]],
    ['"a", "b"', [strong('a'), strong('b')]],
    ['"a","b" , W/"c"', [strong('a'), strong('b'), weak('c')]],
    ['a, "b" ,c ', [strong('a'), strong('b'), strong('c')]],
    ['"a,b"', [strong('a,b')]],
    [' , ,"a",, ', [strong('a')]],
    ['"*"', [strong('*')]],
    ['""', [strong('')]],
    ['', []],
    [' ', []],
    [',', []],
  ])('%j names %j', (header, tags) => {
    expect(parseEntityTagList(header)).toEqual({ kind: 'tags', tags });
  });

  it('is any tag for a star', () => {
    expect(parseEntityTagList('*')).toEqual({ kind: 'any' });
    expect(parseEntityTagList(' * ')).toEqual({ kind: 'any' });
  });

  it('takes a tag whose quote is never closed as one that equals none', () => {
    const list = parseEntityTagList('"a');
    expect(list).toEqual({ kind: 'tags', tags: [strong('"a')] });
    expect(equalsWeakly(strong('"a'), parseEntityTag('"a"'))).toBe(false);
  });

  it('reads a long list of broken quotes in time that grows with its length only', () => {
    expect(parseEntityTagList('"a" x,'.repeat(20_000))).toMatchObject({ kind: 'tags' });
  });
});

/** RFC 9110 §8.8.3.2, the table of comparisons. */
describe('comparison', () => {
  it.each([
    ['W/"1"', 'W/"1"', false, true],
    ['W/"1"', 'W/"2"', false, false],
    ['W/"1"', '"1"', false, true],
    ['"1"', '"1"', true, true],
  ])('of %s and %s is %s strongly and %s weakly', (one, other, strongly, weakly) => {
    expect(equalsStrongly(parseEntityTag(one), parseEntityTag(other))).toBe(strongly);
    expect(equalsWeakly(parseEntityTag(one), parseEntityTag(other))).toBe(weakly);
  });

  it('does not depend on quotes (row 57)', () => {
    expect(equalsStrongly(parseEntityTag('abc-2'), parseEntityTag('"abc-2"'))).toBe(true);
  });

  it('does not take w/ for the mark of a weak tag', () => {
    expect(equalsWeakly(parseEntityTag('w/"1"'), parseEntityTag('"1"'))).toBe(false);
  });
});

describe('one entity tag', () => {
  it.each([
    ['"a"', strong('a')],
    ['a', strong('a')],
    ['""', strong('')],
    ['', strong('')],
    ['W/"a"', weak('a')],
    ['W/', weak('')],
    ['"a', strong('"a')],
    ['a"', strong('a"')],
    ['"', strong('"')],
    ['W/"', weak('"')],
  ])('%j is %j', (text, tag) => {
    expect(parseEntityTag(text)).toEqual(tag);
  });
});
