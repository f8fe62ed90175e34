import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCredentialCommand } from '../../../../src/backend/credentials/credential-command.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const run = (command: string) => runCredentialCommand(command, 10_000, systemClock);

const printing = (document: object) => run(`echo '${JSON.stringify(document)}'`);

it('gives what the command prints, through the shell', async () => {
  expect(
    await printing({
      ...{ Version: 1, AccessKeyId: 'A', SecretAccessKey: 'planted', SessionToken: 't' },
      Expiration: '2040-01-01T00:00:00Z',
    }),
  ).toEqual({
    accessKeyId: 'A',
    secretAccessKey: 'planted',
    sessionToken: 't',
    expiresAtMs: Date.UTC(2040, 0, 1),
  });
  expect(await printing({ Version: 1, AccessKeyId: 'A', SecretAccessKey: 's' })).toMatchObject({
    accessKeyId: 'A',
    expiresAtMs: undefined,
  });
});

it.each([
  ['exit 3', 'the command ended with exit code 3'],
  ['kill -TERM $$', 'the command ended with SIGTERM'],
  ['echo planted; echo planted >&2', 'what the command printed is not JSON'],
  ['echo null', 'what the command printed is not JSON'],
  [`echo '{"Version":2,"AccessKeyId":"planted"}'`, 'the command did not print "Version": 1'],
  ['yes planted', 'the command printed too much'],
  ['/nowhere/planted', 'the command ended with exit code 127'],
])('%s', async (command, message) => {
  await expect(run(command)).rejects.toMatchObject({ code: 'COMMAND_FAILED', message });
});

it.each([
  [{ AccessKeyId: 'planted' }, 'there is no secret access key'],
  [{ AccessKeyId: 'planted', SecretAccessKey: 'planted', Expiration: 'soon' }, 'the expiration is no time'],
  [{ AccessKeyId: 'planted', SecretAccessKey: 'planted', Expiration: '' }, 'the expiration is no time'],
])('a command that prints %j', async (printed, message) => {
  await expect(printing({ Version: 1, ...printed })).rejects.toMatchObject({
    ...{ code: 'INVALID_CREDENTIALS', message },
  });
});

it('ends with all that it has started when its time is over', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-command-'));
  const file = join(directory, 'pid');
  const clock = new ManualClock();
  const running = runCredentialCommand(
    `sleep 300 & echo $! > ${file}.new; mv ${file}.new ${file}; wait`,
    5_000,
    clock,
  );
  while (!existsSync(file)) await new Promise(resolve => setImmediate(resolve));
  const child = Number(readFileSync(file, 'utf8'));
  clock.advance(5_000);
  await expect(running).rejects.toThrow('the command did not end within 5 s');
  while (isRunning(child)) await new Promise(resolve => setImmediate(resolve));
  rmSync(directory, { recursive: true });
});

/** A process that has ended but was not waited for yet does not run. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
