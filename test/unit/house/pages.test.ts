import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url).pathname;
const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })];
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** What links to files point at, from the root. */
function linked(page: string): string[] {
  const targets = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(match => match[1] ?? '');
  return targets.map(target => join(dirname(page), target));
}

it('links of the pages lead to files', () => {
  const links = pages.flatMap(linked);
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(path => !existsSync(join(root, path)))).toEqual([]);
});

it('the package has what its pages for users show of config/', () => {
  const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
  const isPacked = (path: string) => files.some(each => path === each || path.startsWith(`${each}/`));
  // these two are for who has the sources
  const forUsers = pages.filter(page => !/(?:architecture|contributing)\.md$/.test(page));
  const shown = forUsers.flatMap(linked).filter(path => path.startsWith('config/'));
  expect(shown.length).toBeGreaterThan(5);
  expect(shown.filter(path => !isPacked(path))).toEqual([]);
});

it('sources and tests that the pages name in code exist', () => {
  const names = pages.flatMap(page =>
    [...read(page).matchAll(/`([a-z][\w-]*(?:\/[\w-]+)+(?:\.ts)?)`/g)].map(match => match[1] ?? ''),
  );
  const places = ['', 'src/', 'test/', '.'];
  const isThere = (name: string) =>
    places.some(place => ['', '.test.ts', '.ts'].some(end => existsSync(join(root, place + name + end))));
  const ours =
    /^(?:src|test|unit|property|integration|fuzz|stress|bench|cache|gateway|base|config|s3|wiring|alerts)\//;
  const named = names.filter(name => ours.test(name));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(name => !isThere(name))).toEqual([]);
});

it('the pages of docs/ are linked from the README', () => {
  const links = new Set(linked('README.md'));
  expect(pages.filter(page => page !== 'README.md' && !links.has(page))).toEqual([]);
});

it('the architecture names every floor, and every room of the gateway', () => {
  const page = read('docs/architecture.md');
  const folders = (path: string) =>
    readdirSync(join(root, path), { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(entry => entry.name);
  const floors = [...page.matchAll(/^\| `([a-z\d-]+)` \| /gm)].map(match => match[1] ?? '');
  expect(floors.sort()).toEqual(folders('src').sort());
  const rooms = /Inside `gateway` the rooms have an order.*?\n\n/s.exec(page)?.[0] ?? '';
  expect(folders('src/gateway').filter(room => !rooms.includes(`\`${room}\``))).toEqual([]);
});

it('every law has a line on how it is kept and tested', () => {
  const laws = /\n## Laws\n(.*)$/s.exec(read('docs/architecture.md'))?.[1] ?? '';
  const numbers = (form: RegExp) => [...laws.matchAll(form)].map(match => Number(match[1]));
  expect(numbers(/^(\d+)\. /gm)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(numbers(/^\| (\d+) \| .+ \| .+ \|$/gm)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
