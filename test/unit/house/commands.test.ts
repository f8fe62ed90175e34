import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const root = new URL('../../../', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read('package.json')));

/** The scripts of package.json that `text` tells to run. */
function scriptsIn(text: string): Set<string> {
  const named = [...text.matchAll(/\bnpm (?:run (?:-s )?([a-z][\w:-]*)|(start|test)\b)/g)];
  return new Set(named.map(([, run, short]) => run ?? short ?? ''));
}

it.each(['README.md', ...globSync('docs/*.md', { cwd: root })])(
  'each npm script that %s names is there',
  path => {
    expect([...scriptsIn(read(path))].filter(name => !(name in scripts))).toEqual([]);
  },
);

it('docs/contributing.md and the README name each npm script but parts of others', () => {
  const whole = Object.keys(scripts).filter(name => !name.startsWith('check:') && name !== 'prepack');
  expect(whole.length).toBeGreaterThan(8);
  const contributing = scriptsIn(read('docs/contributing.md'));
  expect(whole.filter(name => !contributing.has(name))).toEqual([]);
  const suites = whole.filter(name => name.startsWith('test'));
  const readme = scriptsIn(read('README.md'));
  expect(suites.filter(name => !readme.has(name))).toEqual([]);
});

it.each(['README.md', ...globSync('docs/*.md', { cwd: root })])(
  'what %s tells to run says which Node it needs: main.ts is a stack trace with older ones',
  path => {
    expect(read(path).match(/\bnode [^`\n]*\bsrc\/main\.ts\b/g)).toBeNull();
  },
);
