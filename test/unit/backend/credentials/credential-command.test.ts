import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCredentialCommand } from '../../../../src/backend/credentials/credential-command.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const signal = new AbortController().signal;
const run = (command: string) =>
  runCredentialCommand(command, { timeoutMs: 10_000, clock: systemClock, signal });

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
  [
    { AccessKeyId: 'planted', SecretAccessKey: 'planted', Expiration: 'soon' },
    'the expiration is not a valid time',
  ],
  [
    { AccessKeyId: 'planted', SecretAccessKey: 'planted', Expiration: '' },
    'the expiration is not a valid time',
  ],
])('a command that prints %j', async (printed, message) => {
  await expect(printing({ Version: 1, ...printed })).rejects.toMatchObject({
    ...{ code: 'INVALID_CREDENTIALS', message },
  });
});

/** A command that starts another process and waits for it, and the id of that process once it runs. */
function commandWithChild() {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-command-'));
  const file = join(directory, 'pid');
  return {
    command: `sleep 300 & echo $! > ${file}.new; mv ${file}.new ${file}; wait`,
    async child(): Promise<number> {
      while (!existsSync(file)) await new Promise(resolve => setImmediate(resolve));
      return Number(readFileSync(file, 'utf8'));
    },
    remove: () => rmSync(directory, { recursive: true }),
  };
}

async function hasEnded(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise(resolve => setImmediate(resolve));
}

it.each([
  ['its time is over', 'the command did not end within 5 s', (clock: ManualClock) => clock.advance(5_000)],
  ['it is given up', 'the command was given up', (_: ManualClock, given: AbortController) => given.abort()],
])('ends with all that it has started when %s', async (_, message, end) => {
  const { command, child, remove } = commandWithChild();
  const clock = new ManualClock();
  const question = new AbortController();
  const running = runCredentialCommand(command, { timeoutMs: 5_000, clock, signal: question.signal });
  const pid = await child();
  end(clock, question);
  await expect(running).rejects.toThrow(message);
  await hasEnded(pid);
  remove();
});

it('ends with the process that runs it', async () => {
  const { command, child, remove } = commandWithChild();
  const urls = ['backend/credentials/credential-command.ts', 'base/clock.ts'].map(
    path => new URL(`../../../../src/${path}`, import.meta.url).href,
  );
  const script = `const [{ runCredentialCommand }, { systemClock: clock }] = await Promise.all(
  ${JSON.stringify(urls)}.map(url => import(url)));
void runCredentialCommand(${JSON.stringify(command)}, { timeoutMs: 60_000, clock, signal: new AbortController().signal });
process.stdin.once('data', () => process.exit());`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' });
  const pid = await child();
  parent.stdin.write('end');
  await once(parent, 'exit');
  await hasEnded(pid);
  remove();
});

/** A process that has ended but was not waited for yet does not run. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
