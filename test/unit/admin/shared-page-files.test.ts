import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sharedPageFiles } from '../../../src/admin/shared-page-files.ts';

const folder = new URL('../../../src/admin/', import.meta.url).pathname;
const read = (path: string) => readFileSync(folder + path, 'utf8');

it('every shared file is served', () => {
  const files = globSync('page/*', { cwd: folder }).map(path => `/${path}`);
  expect(files.length).toBeGreaterThan(3);
  expect(sharedPageFiles().map(({ path }) => path)).toEqual(expect.arrayContaining(files));
});

/** Where a page may set its own measures. */
const layout = ['body', 'main'];

it('no page has a style of its own for what the shared styles name', () => {
  const selectorsOf = (css: string) =>
    Array.from(css.matchAll(/(?:^|\n)([.\w#*][^{}@/]*) \{/g), ([, selectors = '']) =>
      selectors.split(/,\s*/),
    );
  const shared = new Set(['page/base.css', 'page/forms.css'].flatMap(path => selectorsOf(read(path)).flat()));
  expect(shared).toContain('.bar');
  const outsideMedia = (css: string) => css.replace(/@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}/g, '');
  for (const page of globSync('*/page/*.css', { cwd: folder })) {
    const own = selectorsOf(outsideMedia(read(page)));
    const twice = own.flat().filter(selector => shared.has(selector) && !layout.includes(selector));
    expect([page, twice]).toEqual([page, []]);
  }
});
