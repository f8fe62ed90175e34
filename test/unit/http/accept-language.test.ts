import { describe, expect, it } from 'vitest';
import { acceptedLanguages, LanguageChoice, mayBeOffered } from '../../../src/http/accept-language.ts';

const site = ['de', 'en', 'pt-BR'];

describe('acceptedLanguages', () => {
  it.each([
    ['de', 'de'],
    ['en, de', 'de, en;q=0.9'],
    ['de, en', 'de, en;q=0.9'],
    ['en, de;q=0.5', 'en, de;q=0.9'],
    ['de-AT,de;q=0.9,en-US;q=0.8,en;q=0.7', 'de, en;q=0.9'],
    ['de-AT', 'de'],
    ['DE-at', 'de'],
    ['pt', 'pt-BR'],
    ['en;q=0.5, *;q=0.1', 'en, de;q=0.9, pt-BR;q=0.8'],
    ['*', 'de, en;q=0.9, pt-BR;q=0.8'],
    ['*, de;q=0', 'en, pt-BR;q=0.9'],
    ['en, en;q=0.2, de;q=0.5', 'en, de;q=0.9'],
    ['en, en;q=0, de;q=0.5', 'de'],
    ['en;q=0.001', 'en'],
    [' , en ,,', 'en'],
    ['en ; q=1.000', 'en'],
  ])('gives of %j those that the site has as %j', (field, expected) => {
    expect(acceptedLanguages(field, site)).toBe(expected);
  });

  it.each([undefined, '', ' , ', 'fr', 'de;q=0', '*;q=0', 'd', 'deu', 'pt-PT'])(
    'gives of %j nothing',
    field => {
      expect(acceptedLanguages(field, site)).toBeUndefined();
    },
  );

  it.each([
    'de;q=2',
    'de;q=',
    'de;q=0.1234',
    'de;q=-1',
    'de;level=1',
    'de_AT',
    'de en',
    'de, en;',
    '-de',
    'de-',
    '"de"',
    '*-CH',
    'de, abcdefghi',
  ])('takes %j, which is malformed, for none', field => {
    expect(acceptedLanguages(field, site)).toBeUndefined();
  });

  it('finds the nearest one for a range that covers none', () => {
    expect(acceptedLanguages('zh-Hant-HK', ['zh', 'zh-Hant', 'zh-Hant-TW'])).toBe('zh-Hant, zh-Hant-TW;q=0');
    expect(acceptedLanguages('de-AT', ['de', 'de-AT'])).toBe('de-AT');
    expect(acceptedLanguages('zh-Hant', ['zh', 'zh-Hant-TW'])).toBe('zh-Hant-TW');
  });

  it('says what is excluded of a language that is accepted', () => {
    expect(acceptedLanguages('de, de-CH;q=0', ['de', 'de-CH', 'en'])).toBe('de, de-CH;q=0');
  });

  it('has a weight for each of as many languages as may be offered', () => {
    const many = Array.from(
      { length: 64 },
      (_, index) => `l${String.fromCharCode(97 + index / 26, 97 + (index % 26))}`,
    );
    const field = acceptedLanguages('*', many);
    expect(field?.endsWith(', lcl;q=0.37')).toBe(true);
    expect(acceptedLanguages(field, many)).toBe(field);
    expect([mayBeOffered(many), mayBeOffered([...many, 'x'])]).toEqual([true, false]);
    expect(acceptedLanguages('*', many.slice(0, 11))?.endsWith(';q=0.9')).toBe(true);
  });

  it('reads 64 ranges and 1 KiB, and takes what is longer for none', () => {
    expect(acceptedLanguages(`en${',x'.repeat(63)}`, site)).toBe('en');
    expect(acceptedLanguages(`en${',x'.repeat(64)}`, site)).toBeUndefined();
    expect(acceptedLanguages(`en${' '.repeat(1_022)}`, site)).toBe('en');
    expect(acceptedLanguages(`en${' '.repeat(1_023)}`, site)).toBeUndefined();
  });
});

it('a choice remembers what it has found, also that there is nothing, and goes on when it has forgotten', () => {
  const choice = new LanguageChoice(site);
  for (let round = 0; round < 2; round++)
    for (let index = 0; index < 100; index++) {
      expect(choice.of(`en, fr;q=0.${index}`)).toBe('en');
      expect(choice.of(`fr;q=0.${index}`)).toBeUndefined();
    }
});
