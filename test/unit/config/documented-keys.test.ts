import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { gatewaySchema } from '../../../src/config/gateway-schema.ts';
import { configurationRows } from '../../support/configuration-page/rows.ts';

const root = new URL('../../../', import.meta.url);
const keys = configurationRows(gatewaySchema({})).map(({ path }) => path.replaceAll('[]', '').split('.'));
const sections = new Set(keys.map(([section]) => section));

/** Names of the same form that are no keys: a file, and a value of the Helm chart. */
const others = new Set(['alerts.sqlite', 'admin.existingSecret']);

/** Names such as `limits.url`, in code, that begin like a key of the configuration. */
function keysNamedIn(page: string): string[] {
  const text = readFileSync(new URL(page, root), 'utf8');
  const names = [...text.matchAll(/`([a-z][A-Za-z]+(?:\.[A-Za-z<>]+)+)`/g)].map(([, name = '']) => name);
  return names.filter(name => sections.has(name.split('.')[0] ?? '') && !others.has(name));
}

function isKey(name: string): boolean {
  const parts = name.split('.');
  return keys.some(key => parts.every((part, index) => part === key[index] || key[index] === '<name>'));
}

const pages = readdirSync(new URL('docs', root)).filter(file => file.endsWith('.md'));

it.each(['README.md', ...pages.map(page => `docs/${page}`)])('%s names no key that there is not', page => {
  expect(keysNamedIn(page).filter(name => !isKey(name))).toEqual([]);
});

it('names are found', () => {
  expect(keysNamedIn('README.md').length).toBeGreaterThan(20);
});
