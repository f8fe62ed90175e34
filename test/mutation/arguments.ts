/**
 * The command line for StrykerJS: it takes one list with commas after `--mutate`, while a shell makes many words of
 * `src/http/**`. A folder stands for all sources below it.
 */
export function strykerArguments(words: readonly string[]): string[] {
  const passed: string[] = [];
  const mutated: string[] = [];
  let isMutated = false;
  for (const word of words) {
    if (word.startsWith('-')) isMutated = word === '--mutate';
    if (!isMutated) passed.push(word);
    else if (word !== '--mutate') mutated.push(...word.split(',').flatMap(sourcesIn));
  }
  return mutated.length === 0 ? passed : ['--mutate', mutated.join(','), ...passed];
}

/** The sources that `path` names: a file with an optional range of lines, a pattern, or a folder. */
function sourcesIn(path: string): string[] {
  if (path === '') return [];
  const isFolder = !/[*{]/.test(path) && !/\.ts(?::[\d:-]+)?$/.test(path);
  return [isFolder ? `${path.replace(/\/$/, '')}/**/*.ts` : path];
}
