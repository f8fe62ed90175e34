import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');

/** The instructions of the Dockerfile, each on one line. */
export const instructions: readonly string[] = text
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter(line => /^[A-Z]+ /.test(line));

/** What follows the last instruction of that name, which is the one that the image has. */
export function lastInstruction(name: string): string {
  const line = instructions.findLast(one => one.startsWith(`${name} `)) ?? '';
  return line.slice(name.length + 1);
}

/** The command of an instruction in its JSON form, such as CMD or HEALTHCHECK with options. */
export function commandOf(name: string): readonly string[] {
  return JSON.parse(lastInstruction(name).replace(/^--.* CMD /, ''));
}
