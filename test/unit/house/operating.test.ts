import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noticeNames } from '../../../src/alerts/rules/notice-table.ts';
import { ruleNames } from '../../../src/alerts/rules/rule-table.ts';

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
