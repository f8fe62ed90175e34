import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noticeNames } from '../../../src/alerts/rules/notice-table.ts';
import { ruleNames } from '../../../src/alerts/rules/rule-table.ts';
import { objectOperations } from '../../../src/s3/operation-table.ts';

const root = new URL('../../../', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/operating.md');
const inCode = new Set([...page.matchAll(/`(\w+)`/g)].map(match => match[1] ?? ''));

it('docs/operating.md names every metric family of the sources', () => {
  const sources = globSync('src/**/*.ts', { cwd: root }).map(read).join('\n');
  const families = new Set([...sources.matchAll(/'(tidegate_[a-z_]+)'/g)].map(match => match[1] ?? ''));
  expect(families.size).toBeGreaterThan(30);
  expect([...families].filter(name => !inCode.has(name))).toEqual([]);
});

it('docs/operating.md says of every alert and notice what to do', () => {
  expect([...ruleNames, ...noticeNames].filter(name => !inCode.has(name))).toEqual([]);
});

it('docs/operating.md names what the embedded store lacks', () => {
  const [, section = ''] = /\n## What an embedded store lacks\n(.*?)\n## /s.exec(page) ?? [];
  const source = read('src/embedded-store/find-operation.ts');
  const [, list = ''] = /const absentSelectors = \[(.*?)\]/s.exec(source) ?? [];
  const absent = Array.from(list.matchAll(/'([\w-]+)'/g), match => match[1] ?? '');
  const ofObjects = new Map(
    Object.entries(objectOperations).map(([selector, names]) => [selector, Object.values(names)[0]]),
  );
  expect(absent.length).toBeGreaterThan(10);
  expect(absent.filter(name => !section.includes(ofObjects.get(name) ?? `\`${name}\``))).toEqual([]);
});
