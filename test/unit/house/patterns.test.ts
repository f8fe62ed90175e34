import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const sources = globSync('src/**/*.{ts,js}', { cwd: root });

/** Nothing but one repeated character or class at the end: `/ +$/`, `/[ \t]*$/`, or the last of several alternatives. */
const repeatedToTheEnd =
  /(?<!\\)[/|](?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\[\]()|/\s])[+*]\$\/[a-z]*[.,)]|(?<!\\)[/|] [+*]\$\//;

it.each([
  'x.replace(/ +$/, "")',
  'x.replace(/^ +| +$/g, "")',
  'x.replace(/[ \\t]*$/, "")',
  '/\\.+$/.test(x)',
])('finds %s', code => expect(code).toMatch(repeatedToTheEnd));

it.each([
  '/^\\d+$/.test(x)',
  'x.replace(/^(a)\\/.*$/, "")',
  'x.replace(/\\?.*$/s, "")',
  'x.replace(/={1,2}$/, "")',
])('leaves %s', code => expect(code).not.toMatch(repeatedToTheEnd));

it('no pattern looks for what repeats up to the end: such a search takes the square of its text, see `withoutTrailing`', () => {
  const found = sources.flatMap(path =>
    readFileSync(new URL(path, root), 'utf8')
      .split('\n')
      .flatMap((line, index) => (repeatedToTheEnd.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
