import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = new URL('../../../src/admin/', import.meta.url).pathname;
const read = (path: string) => readFileSync(folder + path, 'utf8');
const palette = read('page/palette.css');
const pages = globSync(['page/base.css', 'page/forms.css', '*/page/*.css'], { cwd: folder });

function namesIn(css: string, pattern: RegExp): Set<string> {
  return new Set(Array.from(css.matchAll(pattern), ([, name = '']) => name));
}

const colours = namesIn(palette, /^\s*--([\w-]+):/gm);

it('every colour is there by day and by night', () => {
  const [day = '', night = ''] = palette.split('@media');
  expect(namesIn(day, /^\s*--([\w-]+):/gm)).toEqual(namesIn(night, /^\s*--([\w-]+):/gm));
  expect(colours.size).toBeGreaterThan(10);
});

it.each(pages)('%s takes its colours from the palette and has none of its own', page => {
  const css = read(page);
  for (const name of namesIn(css, /^\s*--([\w-]+):/gm)) expect(colours).not.toContain(name);
  // what a page sets for itself is in its stylesheet or in its script
  const script = globSync(page.replace(/[^/]*$/, '*.js'), { cwd: folder })
    .map(read)
    .join('\n');
  const own = namesIn(`${css}\n${script}`, /(?:^\s*|setProperty\(')--([\w-]+)/gm);
  const unknown = [...namesIn(css, /var\(--([\w-]+)/g)].filter(name => !own.has(name) && !colours.has(name));
  expect(unknown).toEqual([]);
});

it('no colour of the palette is without use', () => {
  const used = namesIn(pages.map(read).join('\n'), /var\(--([\w-]+)/g);
  expect([...colours].filter(name => !used.has(name))).toEqual([]);
});
