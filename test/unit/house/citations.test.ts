import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { missingFromPage } from '../../support/citations/check-citation.ts';
import { findCitations } from '../../support/citations/find-citations.ts';
import { indexPage, type PageIndex } from '../../support/citations/page-index.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const pages = new Map<string, PageIndex | undefined>(
  ['README.md', ...globSync('docs/*.md', { cwd: root })].map(path => [path, indexPage(read(path))]),
);

/** What the citations in `source` name and the pages do not have. */
function problems(source: string): string[] {
  return findCitations(source).flatMap(({ page, tail }) => {
    const index = pages.get(page);
    const missing = index ? missingFromPage(tail, index) : 'such a page';
    return missing === undefined ? [] : [`${page}${tail}: no ${missing}`];
  });
}

const sources = globSync('{src,test}/**/*.{ts,yaml}', { cwd: root }).filter(
  path => path !== 'test/unit/house/citations.test.ts',
);

it('what sources and tests cite of our pages is there', () => {
  const cited = sources.flatMap(path => findCitations(read(path)));
  expect(cited.length).toBeGreaterThan(300);
  const found = sources.flatMap(path => problems(read(path)).map(problem => `${path}: ${problem}`));
  expect(found).toEqual([]);
});

it('pages that a reader of the repository does not have are cited nowhere', () => {
  const elsewhere = /(?<![\w/-])(?:behaviours|object-retrieval|cards|card-webhook|design|interface)\.md/;
  expect(sources.filter(path => elsewhere.test(read(path)))).toEqual([]);
});

it('the rows of the semantics are numbered without a gap', () => {
  const rows = [...(pages.get('docs/semantics.md')?.rows.get('') ?? [])].map(Number);
  expect(rows.sort((one, other) => one - other)).toEqual(
    Array.from({ length: 286 }, (_, index) => index + 1),
  );
});

it.each([
  ['a row', ' 12 to 19 and 999)'],
  ['the end of a range of rows', ' 12 to 999)'],
  ['a decision', ', Decided 999)'],
  ['a section', ', section 99)'],
  ['a heading', ', Invented heading)'],
  ['a number below a heading', ', Authentication 6)'],
  ['a rule', ', Request parameters, rule 999)'],
  ['a second heading', ', States and transitions and Invented 4)'],
  ['a row that a comment names in its next line', ' 12,\n * 999)'],
])('a citation of %s that is not there is found', (_what, tail) => {
  expect(problems(`/** (docs/semantics.md${tail} */`)).toHaveLength(1);
});

it.each([
  ['a page', 'docs/invented.md'],
  ['a law', 'docs/architecture.md, law 99'],
  ['a section of the cards', 'docs/cards.md §9'],
  ['an entry of a section', 'docs/cards.md §1, Invented'],
  ['a row of a section', 'docs/cards.md §4, 99'],
])('so is %s', (_what, citation) => {
  expect(problems(`// ${citation}`)).toHaveLength(1);
});

it.each([
  'docs/semantics.md 43 to 46, 100, 183 and 184',
  'docs/semantics.md, Decided 4 and 31 to 33',
  'docs/semantics.md, sections 10 and 12',
  'docs/semantics.md, Conditional\n * rules; docs/semantics.md 75',
  'docs/cards.md §1, Replies: failures',
  'docs/cards.md §4, 3, at the backend',
  'docs/architecture.md, law 5',
  'rows of docs/semantics.md, as they are',
])('%s is found', citation => {
  expect(problems(`/** (${citation}) */`)).toEqual([]);
});
