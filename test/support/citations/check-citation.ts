import type { PageIndex } from './page-index.ts';

const numbers = /^ ?(\d+)(?: to (\d+))?(?!\w)/;
const separator = /^(?:, and|,| and| or)? /;

/**
 * What a citation names and the page does not have; undefined when everything is there. `tail` is the text behind the name
 * of the page: rows (` 12 to 19`), `, Decided 3`, `, section 4`, ` §1, Size`, `, law 7`, or a heading and a number below it.
 * What follows in other words belongs to the sentence.
 */
export function missingFromPage(tail: string, page: PageIndex): string | undefined {
  const section = /^ §(\d+)/.exec(tail);
  if (section) return missingFromSection(section[1] ?? '', tail.slice(section[0].length), page);
  if (numbers.test(tail)) return missingNumbers(tail, page.rows.get(''));
  return tail.startsWith(', ') ? missingPlace(tail.slice(2), page) : undefined;
}

function missingPlace(text: string, page: PageIndex): string | undefined {
  const numbered = /^(sections?|law)(?= \d)/.exec(text)?.[1];
  if (numbered === 'law') return missingNumbers(text.slice(3), page.headings.get('Laws'));
  if (numbered) return missingNumbers(text.slice(numbered.length), new Set(page.sections.keys()));
  const heading = longestPrefix(text, page.headings.keys());
  if (heading === undefined) return /^[A-Z]/.test(text) ? `heading ${text}` : undefined;
  const rest = text.slice(heading.length);
  const rule = /^, rule(?= \d)/.exec(rest)?.[0];
  if (rule) return missingNumbers(rest.slice(rule.length), page.headings.get('Rules'));
  const items = page.headings.get(heading);
  const first = numbers.exec(rest)?.[1];
  if (first !== undefined && !items?.has(first)) return `number ${first} below ${heading}`;
  return missingNumbers(rest, union(items, page.rows.get(''))) ?? missingNext(rest, page);
}

/** Rows may follow the number below a heading: `Decided 4 and 31 to 33`. */
function union(...sets: (ReadonlySet<string> | undefined)[]): ReadonlySet<string> {
  return new Set(sets.flatMap(some => [...(some ?? [])]));
}

/** Another heading behind `and`: `States and transitions and Authentication 4`. */
function missingNext(rest: string, page: PageIndex): string | undefined {
  return /^ and [A-Z]/.test(rest) ? missingPlace(rest.slice(5), page) : undefined;
}

function missingFromSection(section: string, rest: string, page: PageIndex): string | undefined {
  const entries = page.sections.get(section);
  if (!entries) return `section ${section}`;
  if (/^, \d/.test(rest)) return missingNumbers(rest.slice(1), page.rows.get(section));
  if (!/^, [A-Z]/.test(rest)) return undefined;
  return longestPrefix(rest.slice(2), entries) ? undefined : `entry ${rest} of section ${section}`;
}

/** The first of the numbers at the beginning of `text` that is not among `known`. */
function missingNumbers(text: string, known: ReadonlySet<string> | undefined): string | undefined {
  let rest = text;
  for (let found = numbers.exec(rest); found; found = numbers.exec(rest)) {
    const [whole, first = '', last = first] = found;
    for (const number of [first, last]) if (!known?.has(number)) return `number ${number}`;
    rest = rest.slice(whole.length).replace(separator, ' ');
  }
  return undefined;
}

function longestPrefix(text: string, titles: Iterable<string>): string | undefined {
  const fitting = [...titles].filter(title => text.startsWith(title));
  return fitting.sort((one, other) => other.length - one.length)[0];
}
