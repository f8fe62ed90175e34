import fc from 'fast-check';
import { expect, it } from 'vitest';
import { acceptedLanguages, mayBeOffered } from '../../src/http/accept-language.ts';

const tags = ['de', 'de-AT', 'de-CH', 'en', 'en-GB', 'zh', 'zh-Hant', 'zh-Hant-TW', 'zh-Hans', 'fr'];
const offered = fc.uniqueArray(fc.constantFrom(...tags), { minLength: 1 });
const ranges = [...tags, '*', 'de-at', 'DE-DE', 'zh-Hant-HK', 'd', 'e'];
const weights = ['', ';q=1', ';q=0.9', '; q=0.90', ' ;Q=0.5', ';q=0', ';q=0.000'];
const member = fc.record({ range: fc.constantFrom(...ranges), weight: fc.constantFrom(...weights) });
const list = fc.array(member, { maxLength: 8 });

type Member = { readonly range: string; readonly weight: string };

function fieldOf(members: readonly Member[]): string {
  return members.map(({ range, weight }) => range + weight).join(', ');
}

function isZero({ weight }: Member): boolean {
  return /q=0(?:\.0+)?$/i.test(weight);
}

function covers(range: string, tag: string): boolean {
  return `${tag}-`.toLowerCase().startsWith(`${range}-`.toLowerCase());
}

/** Whether what the client says of the language itself, or of the narrowest range that it is in, is that it wants none. */
function excludes(members: readonly Member[], tag: string): boolean {
  const covering = members.filter(({ range }) => covers(range, tag));
  const longest = Math.max(...covering.map(({ range }) => range.length));
  return covering.some(said => said.range.length === longest && isZero(said));
}

/** What `field` accepts, in its order. */
function acceptedIn(field: string | undefined): string[] {
  const members = (field ?? '').split(', ').filter(text => text !== '' && !text.endsWith(';q=0'));
  return members.map(text => text.split(';', 1)[0] ?? '');
}

it('what is normalised stays as it is', () => {
  fc.assert(
    fc.property(list, offered, (members, site) => {
      const once = acceptedLanguages(fieldOf(members), site);
      expect(acceptedLanguages(once, site)).toBe(once);
    }),
    { numRuns: 1_000 },
  );
});

it('however many languages a site has, and however long their tags are', () => {
  const letters = fc.constantFrom('a', 'b', 'c');
  const part = fc.string({ unit: letters, minLength: 2, maxLength: 8 });
  const tag = fc.array(part, { minLength: 1, maxLength: 4 }).map(parts => parts.join('-'));
  const many = fc.uniqueArray(tag, { minLength: 1, maxLength: 70, size: 'max' }).filter(mayBeOffered);
  fc.assert(
    fc.property(many, fc.subarray(['*', 'aa', 'bb;q=0.5', 'cc;q=0']), (site, said) => {
      const once = acceptedLanguages(said.join(','), site);
      expect(acceptedLanguages(once, site)).toBe(once);
      const isAnyAccepted = site.some(tag => !said.includes('cc;q=0') || !covers('cc', tag));
      if (said.includes('*')) expect(once !== undefined, once).toBe(isAnyAccepted);
    }),
  );
});

it('no language is accepted that the client has excluded, nor one that the site has not', () => {
  fc.assert(
    fc.property(list, offered, (members, site) => {
      for (const tag of acceptedIn(acceptedLanguages(fieldOf(members), site))) {
        expect(site).toContain(tag);
        expect(excludes(members, tag), tag).toBe(false);
      }
    }),
    { numRuns: 1_000 },
  );
});

it('a language is accepted if the client names it, with more weight first', () => {
  const wanted = fc.uniqueArray(fc.tuple(fc.constantFrom(...tags), fc.integer({ min: 1, max: 999 })), {
    selector: ([tag]) => tag,
  });
  fc.assert(
    fc.property(wanted, offered, (members, site) => {
      const field = members.map(([tag, weight]) => `${tag};q=${(weight / 1_000).toFixed(3)}`).join();
      const accepted = acceptedIn(acceptedLanguages(field, site));
      const named = new Map(members.filter(([tag]) => site.includes(tag)));
      for (const tag of named.keys()) expect(accepted).toContain(tag);
      const given = accepted.flatMap(tag => named.get(tag) ?? []);
      expect(given).toEqual([...given].sort((one, other) => other - one));
    }),
  );
});

it('neither the order of members, nor case, white space or empty members make a difference', () => {
  const shuffled = list.chain(members =>
    fc.tuple(
      fc.constant(members),
      fc.shuffledSubarray(members, { minLength: members.length, maxLength: members.length }),
    ),
  );
  fc.assert(
    fc.property(shuffled, offered, ([members, others], site) => {
      const spelled = ` ,${fieldOf(others).toUpperCase().replaceAll(', ', '\t,, ')},`;
      expect(acceptedLanguages(spelled, site)).toBe(acceptedLanguages(fieldOf(members), site));
    }),
    { numRuns: 1_000 },
  );
});

it('whatever is sent is normalised without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'de-*;q=0.1, \t"_') }), offered, (field, site) => {
      const once = acceptedLanguages(field, site);
      expect(acceptedLanguages(once, site)).toBe(once);
    }),
    { numRuns: 2_000 },
  );
});
