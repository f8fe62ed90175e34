import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePort, RealProcess, run } from '../support/real-process.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;

let directory: string;
let started: RealProcess;
let admin: string;
let commands: readonly string[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-first-start-'));
  const [port, adminPort] = [await freePort(), await freePort()];
  admin = `http://127.0.0.1:${adminPort}`;
  const environment = { TIDEGATE_PORT: String(port), TIDEGATE_ADMIN_PORT: String(adminPort) };
  started = new RealProcess(process.execPath, [main], { cwd: directory, environment });
  await started.answers(`${admin}/readyz`);
  await vi.waitUntil(() => started.output.includes('Ctrl-C'), { timeout: 30_000 });
  commands = commandsIn(started.output);
});

afterAll(async () => {
  await started?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** The lines that a start without a configuration prints to be tried, as a shell gets them. */
function commandsIn(text: string): string[] {
  const lines = text.replaceAll(/\\\n\s+/g, '').split('\n');
  return lines.filter(line => line.startsWith('  ')).map(line => line.trim());
}

/** Runs the one printed line that contains `mark` in a shell with nothing of this environment. */
function runLine(mark: string): Promise<string> {
  const found = commands.filter(line => line.includes(mark));
  expect(found, mark).toHaveLength(1);
  const environment = { AWS_CONFIG_FILE: '/dev/null', AWS_EC2_METADATA_DISABLED: 'true' };
  return run('bash', ['-c', found[0] ?? ''], { ownEnvironment: true, environment, cwd: directory });
}

it('the AWS command line lists the sample bucket, private keys included, as the demo client', async () => {
  const listed = await runLine('s3 ls');
  expect(listed).toMatch(/^\S+ \S+ +\d+ hello\.txt$/m);
  expect(listed).toMatch(/^ +PRE private\/$/m);
});

it('curl shows headers and body of a small object', async () => {
  const shown = await runLine('hello.txt');
  expect(shown).toMatch(/HTTP\/1\.1 200 OK/);
  expect(shown).toMatch(/^x-cache: MISS\r?$/m);
  expect(await runLine('hello.txt')).toMatch(/^x-cache: HIT\r?$/m);
});

it('curl reads a hundred bytes in the middle of a large one', async () => {
  expect(await runLine('video.bin')).toMatch(/^content-range: bytes 1048576-1048675\/\d+\r?$/m);
});

it('curl lists as anybody, and sees nothing that is private', async () => {
  const listed = await runLine('list-type=2');
  expect(listed).toContain('<Key>hello.txt</Key>');
  expect(listed).not.toContain('private/');
});

it('curl opens the sealed sample with its key', async () => {
  expect(await runLine('sealed.bin')).toMatch(/HTTP\/1\.1 200 OK/);
});

it('the metrics tell of it', async () => {
  await runLine('hello.txt');
  expect(await runLine('/metrics')).toMatch(/^tidegate_requests_total\{bucket="sample"/m);
});

it('anybody can post a card to the channel', async () => {
  expect(await runLine('/channel/webhook/')).toBe('1');
});

it('no line is printed that is not tried here', () => {
  const tried = [
    's3 ls',
    'hello.txt',
    'video.bin',
    'list-type=2',
    'sealed.bin',
    '/metrics',
    '/channel/webhook/',
  ];
  expect(commands.filter(line => !tried.some(mark => line.includes(mark)))).toEqual([]);
});
