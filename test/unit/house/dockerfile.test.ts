import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const lines = readFileSync(new URL('Dockerfile', root), 'utf8').replaceAll('\\\n', ' ').split('\n');
const instructions = lines.filter(line => /^[A-Z]+ /.test(line));
const last = (name: string) => instructions.findLast(line => line.startsWith(`${name} `)) ?? '';

it('the image runs as an ordinary user, and signals reach the process', () => {
  expect(last('USER')).toBe('USER node');
  expect(JSON.parse(last('ENTRYPOINT').slice('ENTRYPOINT '.length))[0]).toBe('node');
  expect(Array.isArray(JSON.parse(last('CMD').slice('CMD '.length)))).toBe(true);
});

it('its health check needs no shell and no curl', () => {
  const command = JSON.parse(last('HEALTHCHECK').replace(/^.*? CMD /, ''));
  expect(command.slice(0, 2)).toEqual(['node', '-e']);
  expect(command[2]).toContain('/healthz');
});

it('what is copied into the build exists', () => {
  const copied = instructions.filter(line => line.startsWith('COPY ') && !line.includes('--from='));
  const sources = copied.flatMap(line => line.split(/\s+/).slice(1, -1));
  expect(sources.length).toBeGreaterThan(3);
  for (const source of sources) expect(existsSync(new URL(source, root)), source).toBe(true);
});
