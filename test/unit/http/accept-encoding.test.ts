import { describe, expect, it } from 'vitest';

import { acceptedCodings, CodingChoice } from '../../../src/http/accept-encoding.ts';

const offered = ['br', 'zstd', 'gzip'] as const;

describe('RFC 9110 §12.5.3: the codings that a client takes, the best first', () => {
  it.each<readonly [string | undefined, readonly string[], string]>([
    [undefined, [], 'who says nothing gets the content as it is'],
    ['', [], 'an empty field: no coding at all'],
    ['gzip', ['gzip'], 'one coding'],
    ['gzip, deflate, br, zstd', ['br', 'zstd', 'gzip'], 'equal weights: in the order of the offer'],
    ['gzip;q=1.0, br;q=0.5', ['gzip', 'br'], 'weights decide first'],
    ['br;q=0, gzip', ['gzip'], 'weight 0: not acceptable'],
    ['*', ['br', 'zstd', 'gzip'], 'any'],
    ['gzip;q=0.5, *;q=0.1', ['gzip', 'br', 'zstd'], 'what is not named has the weight of any'],
    ['*;q=0', [], 'none but the content as it is, although that is excluded too'],
    ['gzip, *;q=0', ['gzip'], 'this one alone'],
    ['identity', [], 'the content as it is'],
    ['identity, gzip;q=0.5', [], 'the content as it is is liked better'],
    ['identity;q=0.5, gzip', ['gzip'], 'the coding is liked better'],
    ['identity, gzip', ['gzip'], 'equally liked: the shorter one'],
    ['identity;q=0, gzip', ['gzip'], 'not as it is'],
    ['GZIP', ['gzip'], 'names have no case'],
    ['x-gzip', ['gzip'], 'the old name'],
    [' gzip ; q=0.8 ,\tbr;q=0.9', ['br', 'gzip'], 'white space'],
    ['gzip;q=1.5, br', ['br'], 'a weight above 1 is none'],
    ['gzip;q=0.1234, br', ['br'], 'a weight of four digits is none'],
    ['gzip;level=9, br', ['br'], 'codings have no parameters'],
    [',, gzip,', ['gzip'], 'empty members'],
    ['compress, deflate, gzip', ['gzip'], 'codings that are not offered'],
    [`${'x,'.repeat(300)}gzip`, [], 'a list longer than any client sends'],
  ])('%s → %j: %s', (field, expected) => {
    expect(acceptedCodings(field, offered)).toEqual(expected);
    const choice = new CodingChoice(offered);
    expect([choice.of(field), choice.of(field)]).toEqual([expected, expected]);
  });

  it('what was not offered is never chosen', () => {
    expect(acceptedCodings('br, zstd, gzip', ['gzip'])).toEqual(['gzip']);
  });

  it('any number of spellings is told apart', () => {
    const choice = new CodingChoice(offered);
    for (let number = 0; number < 500; number++)
      expect(choice.of(`gzip, coding-${number}`)).toEqual(['gzip']);
  });
});
