import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/real-process.ts';

const command = new URL('../../src/start.js', import.meta.url).pathname;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-completion-'));
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(
      join(folder, shell),
      await run(process.execPath, [command, 'completion', shell], { ownEnvironment: true }),
    );
  for (const name of ['gateway.yaml', 'my file.yaml']) writeFileSync(join(folder, name), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What bash offers for the last of `words`. */
async function inBash(...words: string[]): Promise<string[]> {
  const line = words.map(word => `'${word}'`).join(' ');
  const script = `compopt() { :; }; . ./bash; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _tidegate; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = await run('bash', ['--norc', '-c', script], { cwd: folder, ownEnvironment: true });
  return printed.trim().split('\n');
}

it('bash completes commands, options, the values of options, and files', async () => {
  expect(await inBash('tidegate', 'ch')).toEqual(['check']);
  expect(await inBash('tidegate', 'check', '--con')).toEqual(['--config', '--connect']);
  expect(await inBash('tidegate', '--con')).toEqual(['--config']);
  expect(await inBash('tidegate', 'card', 'x', '--form', 'a')).toEqual(['adaptive']);
  expect(await inBash('tidegate', 'check', '-c', 'gate')).toEqual(['gateway.yaml']);
  expect(await inBash('tidegate', 'check', '-c', 'my')).toEqual(['my file.yaml']);
  expect(await inBash('tidegate', 'check', '-c', 'none')).toEqual(['']);
});

it('fish completes commands, options, the values of options, and files', async () => {
  const offered = async (line: string) => {
    const printed = await run('fish', ['--no-config', '-c', `source fish; complete -C '${line}'`], {
      cwd: folder,
      environment: { HOME: folder },
    });
    return printed
      .trim()
      .split('\n')
      .map(each => each.split('\t', 1)[0]);
  };
  expect(await offered('tidegate ch')).toEqual(['check']);
  expect(await offered('tidegate check --con')).toEqual(['--config', '--connect']);
  expect(await offered('tidegate card x --form a')).toEqual(['adaptive']);
  expect(await offered('tidegate check --config gate')).toEqual(['gateway.yaml']);
});

it('zsh loads its script as the completion of the command', async () => {
  const script = 'autoload -U compinit; compinit -u -D; source ./zsh; print $_comps[tidegate]';
  expect(await run('zsh', ['-f', '-c', script], { cwd: folder, ownEnvironment: true })).toBe('_tidegate\n');
});
