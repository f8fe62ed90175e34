import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const declaration =
  /^export (?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

/** The words of a file, and the names that it exports. */
interface Source {
  readonly path: string;
  readonly words: ReadonlySet<string>;
  readonly exported: readonly string[];
}

const sources = globSync('{src,test,config}/**/*.{ts,js,mjs}', { cwd: root }).map((path): Source => {
  const text = readFileSync(new URL(path, root), 'utf8');
  return {
    path,
    words: new Set(text.match(/\w+/g)),
    exported: [...text.matchAll(declaration)].map(match => match[1] ?? ''),
  };
});

it('what a file exports is used in another one', () => {
  const files = new Map<string, number>();
  for (const { words } of sources) for (const word of words) files.set(word, (files.get(word) ?? 0) + 1);
  const unused = sources.flatMap(({ path, exported }) =>
    exported.filter(name => files.get(name) === 1).map(name => `${path}: ${name}`),
  );
  expect(sources.flatMap(({ exported }) => exported).length).toBeGreaterThan(2_000);
  expect(unused).toEqual([]);
});
