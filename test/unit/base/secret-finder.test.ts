import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretFinder } from '../../../src/base/secret-finder.ts';

const replaced = (secrets: string[], text: string) => new SecretFinder(secrets).replace(text, '*');

it.each([
  ['the longest that begins at a place', ['abcd', 'abcdef'], 'xabcdefx abcdx', 'x*x *x'],
  ['all, one behind the other', ['ab', 'abc'], 'abcab', '**'],
  ['one of a single character', ['b', 'long-secret'], 'abc long-secret', 'a*c *'],
  ['the last bytes of the text', ['secret'], 'a secret', 'a *'],
  ['not what is cut off', ['secret'], 'a secre', 'a secre'],
  ['a secret with a percent sign, as it is', ['a%41b'], 'a%41b', '*'],
  ['a secret with a percent sign, encoded', ['a%41b'], 'a%2541b', '*'],
  ['not what its percent sign would mean', ['a%41b'], 'aAb', 'aAb'],
  ['no empty one', [''], 'text', 'text'],
])('takes out %s', (_, secrets, text, expected) => {
  expect(replaced(secrets, text)).toBe(expected);
});

it('does not reach over the end of a JSON string', () => {
  const text = '["a","b"]';
  expect(replaced(['a","b'], text)).toBe(text);
});

const secret = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter(text => text.isWellFormed());

/** Any spelling of a text within a URL in JSON. */
const spelling = (text: string, isEncoded: readonly boolean[]) =>
  Array.from(text, (character, index) => {
    if (!isEncoded[index % isEncoded.length] && character !== '%')
      return JSON.stringify(character).slice(1, -1);
    return Array.from(Buffer.from(character), byte => `%${byte.toString(16).padStart(2, '0')}`).join('');
  }).join('');

describe('whatever the secrets are', () => {
  it('takes them out of JSON in every spelling, and leaves JSON', () => {
    const spelled = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 5 }), spelled, (secrets, isEncoded) => {
        for (const each of secrets) {
          const line = `{"url":"/begin?${spelling(each, isEncoded)}"}`;
          const shown = replaced(secrets, line);
          expect(shown).not.toContain(spelling(each, isEncoded));
          expect(() => JSON.parse(shown)).not.toThrow();
        }
      }),
    );
  });

  it('leaves what is none of them', () => {
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 5 }), fc.json(), (secrets, text) => {
        const bytes = secrets.map(each => Buffer.from(each).toString('latin1'));
        const isIn = bytes.some(each => decoded(text).includes(each));
        fc.pre(!isIn);
        expect(replaced(secrets, text)).toBe(text);
      }),
    );
  });
});

/** The bytes of a JSON document and of its strings, in both readings, as Latin-1. */
function decoded(text: string): string {
  const strings = [text];
  JSON.parse(text, (key, value) => void strings.push(key, String(value)));
  const bytes = Buffer.from(strings.join('\n')).toString('latin1');
  return `${bytes}\n${bytes.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))}`;
}

it('finds thousands of secrets, and long ones', () => {
  const secrets = Array.from(
    { length: 5_000 },
    (_, index) => `${index}/planted+Secret=key,of/forty+characters`,
  );
  const token = Buffer.alloc(100_000, 'a long token ').toString('base64');
  const finder = new SecretFinder([...secrets, token]);
  const all = [...secrets, token].map(encodeURIComponent).join(' ');
  expect(finder.replace(all, '*')).toBe([...secrets, token].fill('*').join(' '));
  const other = '%41'.repeat(100_000);
  expect(finder.replace(other, '*')).toBe(other);
});
