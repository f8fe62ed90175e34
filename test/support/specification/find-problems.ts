import type { SpecificationItem } from './specification-index.ts';

/** What there is to be named: full names of tests, by the files that exist. */
type KnownTests = ReadonlyMap<string, ReadonlySet<string>>;

/** What an index claims and `known` does not bear out, in sentences; empty when every item is proved. */
export function findProblems(items: readonly SpecificationItem[], known: KnownTests): readonly string[] {
  return [...repeatedIds(items), ...items.flatMap(item => unproved(item, known))];
}

function repeatedIds(items: readonly SpecificationItem[]): readonly string[] {
  const seen = new Set<string>();
  return items.flatMap(({ id }) => {
    if (seen.has(id)) return [`${id} is the id of two items`];
    seen.add(id);
    return [];
  });
}

function unproved({ id, tests }: SpecificationItem, known: KnownTests): readonly string[] {
  const claims = Object.entries(tests).flatMap(([file, titles]) => titles.map(title => ({ file, title })));
  if (claims.length === 0) return [`${id} has no test`];
  return claims.flatMap(({ file, title }) => {
    const names = known.get(file);
    if (!names) return [`${id} names test/${file}, which does not exist`];
    if ([...names].some(name => isTitled(name, title))) return [];
    return [`${id} names a test that test/${file} does not have: ${title}`];
  });
}

/** Whether a test is the one of `title`, which leaves out as many of the descriptions around it as it likes. */
function isTitled(fullName: string, title: string): boolean {
  return fullName === title || fullName.endsWith(` > ${title}`);
}
