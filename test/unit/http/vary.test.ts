import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textsOfName } from '../../../src/base/length-prefixed.ts';
import { isKnownCoding, isShortened, parseVary, variantName } from '../../../src/http/vary.ts';

describe('Vary (RFC 9110 §12.5.5)', () => {
  it.each([
    [undefined, []],
    ['', []],
    [' , ', []],
    ['Foo', ['foo']],
    ['Foo, bar,FOO', ['bar', 'foo']],
    ['*', '*'],
    [', *', '*'],
    ['foo, *', '*'],
    ['foo bar', '*'],
    ['foo\xA0', '*'],
  ])('%j names %j', (field, names) => {
    expect(parseVary(field)).toEqual(names);
  });

  it('of more names than any answer needs, or longer than any list of them, is of all', () => {
    const names = Array.from({ length: 33 }, (_, number) => `x-${number}`);
    expect(parseVary(names.slice(1).join())).toHaveLength(32);
    expect(parseVary([...names.slice(1), ...names.slice(1)].join())).toHaveLength(32);
    expect(parseVary(names.join())).toBe('*');
    expect(parseVary('x'.repeat(1_024))).toHaveLength(1);
    expect(parseVary('x'.repeat(1_025))).toBe('*');
  });
});

describe('requests select the same variant (RFC 9111 §4.1)', () => {
  it.each([
    ['foo', '1', '1'],
    ['foo', '1, 2', '1,2'],
    ['foo', ' 1 ,2 ', '1, 2'],
    ['foo', undefined, undefined],
    ['accept-language', 'en, de', 'en,dE'],
    ['accept-encoding', 'gzip, br;q=0.5', 'br;q=0.50,gzip'],
    ['accept-language', 'en, de;q=0.5', 'de ; q=0.50,en;q=1.0'],
    ['accept-encoding', 'gzip, br', 'br,GZIP'],
    ['accept-encoding', 'e1, gzip, e2;q=0.5', 'gzip'],
    ['accept-encoding', 'e1', 'e2'],
    ['accept', 'text/html;level=1;q=0.8, */*', '*/*, text/HTML; level=1; q=0.80'],
  ])('%s: %j and %j', (name, one, other) => {
    expect(variantName([name], () => one)).toBe(variantName([name], () => other));
  });

  it.each([
    ['foo', '1', '2'],
    ['foo', '1', undefined],
    ['foo', '', undefined],
    ['origin', 'https://a.test', 'https://a.test,'],
    ['origin', 'https://a.test', ',https://a.test'],
    ['foo', '"a , b"', '"a,b"'],
    ['foo', '1, 2', '2, 1'],
    ['user-agent', 'X (KHTML, like Gecko)', 'X (KHTML,like Gecko)'],
    ['cookie', 't=a , b', 't=a,b'],
    ['authorization', 'Digest a=1, b=2', 'Digest a=1,b=2'],
    ['foo', 'a', 'A'],
    ['foo', '"a, b"', '"a,b"'],
    ['accept-language', 'en, de', 'de, en'],
    ['accept-language', 'en, de', 'en, de;q=0.5'],
    ['accept-language', 'en, de;q=0.9', 'de, en;q=0.9'],
    ['accept', 'text/html, text/plain', 'text/plain, text/html'],
    ['accept-encoding', 'gzip;q=0', 'gzip'],
    ['accept', 'text/html;a=B', 'text/html;a=b'],
    ['x-theme', 'dark\xA0', 'dark'],
    ['x-theme', 'dark,', 'dark'],
  ])('but not %s: %j and %j', (name, one, other) => {
    expect(variantName([name], () => one)).not.toBe(variantName([name], () => other));
  });

  const languages = [
    'de\xA0',
    '\xA0de',
    'de;\xA0q=1',
    'de;q=1.0000',
    'de;q=2',
    'de;Q=1',
    'de;q=1;q=1',
    'de;a=b',
  ];
  it.each([
    ...[...languages, ',de', 'de,', 'de;'].map(spelled => ({ name: 'accept-language', spelled, sent: 'de' })),
    { name: 'accept-language', spelled: 'de;q=0.5000', sent: 'de;q=0.5' },
    { name: 'accept', spelled: 'text/html;q=0.1;q=1', sent: 'text/html' },
    { name: 'accept', spelled: 'text/plain, text/html;Q=0.1', sent: 'text/plain,text/html;Q=0.1' },
    { name: 'accept', spelled: 'text/html;q=1;a=b', sent: 'text/html;a=b' },
    { name: 'accept', spelled: 'text/html, *;q=.2', sent: 'text/html, *;q=0.2' },
    { name: 'accept', spelled: 'text/html;a=" b"', sent: 'text/html;a="b"' },
    { name: 'accept-encoding', spelled: 'gzip, own;', sent: 'gzip' },
  ])(
    'as nobody else, where a field is not spelled in the usual way: $name: $spelled',
    ({ name, spelled, sent }) => {
      const named = (value: string) => variantName([name], () => value);
      expect(named(spelled)).not.toBe(named(sent));
      expect(named(spelled)).toBe(named(spelled));
    },
  );

  it('by a name of some KiB at most, whose values can be told apart', () => {
    const [one, other] = ['1', '2'].map(last => `${'x'.repeat(100_000)}${last}`);
    const named = (value: string | undefined) => textsOfName(variantName(['foo'], () => value));
    const [, value = ''] = named(one) ?? [];
    expect([named(one)?.[0], value.length, isShortened(value)]).toEqual(['foo', 44, true]);
    expect(named(other)?.[1]).not.toBe(value);
    expect(named(value.slice(1))?.[1]).not.toBe(value);
    expect(named('y'.repeat(128))).toEqual(['foo', 'y'.repeat(128)]);
  });

  it('only if each field is the same, however values are composed', () => {
    const value = fc.option(fc.string({ unit: fc.constantFrom('1', ':', '-', 'a', '"', ';') }), {
      nil: undefined,
    });
    const named = ([foo, bar]: (string | undefined)[]) =>
      variantName(['bar', 'foo'], name => (name === 'foo' ? foo : bar));
    fc.assert(
      fc.property(fc.tuple(value, value), fc.tuple(value, value), (one, other) => {
        expect(named(one) === named(other)).toBe(one[0] === other[0] && one[1] === other[1]);
      }),
    );
  });
});

it.each([
  [undefined, true],
  ['', true],
  ['gzip', true],
  ['BR, zstd', true],
  ['gzip, own', false],
  ['gzip\xA0', false],
])('a Content-Encoding of codings that select variants: %j %j', (field, isKnown) => {
  expect(isKnownCoding(field)).toBe(isKnown);
});
