import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandOf, instructions, lastInstruction } from '../../support/dockerfile.ts';

const root = new URL('../../../', import.meta.url);

it('the image runs as an ordinary user, given by number, and signals reach the process', () => {
  expect(lastInstruction('USER')).toMatch(/^[1-9]\d*$/);
  expect(commandOf('ENTRYPOINT')[0]).toBe('node');
  expect(Array.isArray(commandOf('CMD'))).toBe(true);
});

it('its health check needs no shell and no curl', () => {
  const command = commandOf('HEALTHCHECK');
  expect(command.slice(0, 2)).toEqual(['node', '-e']);
  expect(command[2]).toContain('/healthz');
});

it('what is copied into the build exists', () => {
  const copied = instructions.filter(line => line.startsWith('COPY ') && !line.includes('--from='));
  const sources = copied.flatMap(line => line.split(/\s+/).slice(1, -1));
  expect(sources.length).toBeGreaterThan(3);
  for (const source of sources) expect(existsSync(new URL(source, root)), source).toBe(true);
});
