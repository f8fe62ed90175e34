import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { errorCode } from '../../../src/base/error-code.ts';
import { LogFile } from '../../../src/base/log-file.ts';
import { ManualClock } from '../../support/manual-clock.ts';

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-log-'));
  path = join(directory, 'access.log');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function opened(at = path, different: { clock?: ManualClock; maxWaitingBytes?: number } = {}) {
  const troubles: (string | undefined)[] = [];
  let dropped = 0;
  const file = LogFile.open(at, {
    ...{ clock: systemClock, onTrouble: error => troubles.push(error && errorCode(error)) },
    onDrop: lines => {
      dropped += lines;
    },
    ...different,
  });
  return { file, troubles, dropped: () => dropped };
}

const write = (file: LogFile, lines: string) => void file.write(Buffer.from(lines));

it('appends lines in their order', async () => {
  const { file } = opened();
  for (let index = 0; index < 1_000; index++) write(file, `line ${index}\n`);
  await file.end(10_000);
  const again = opened();
  write(again.file, 'line 1000\n');
  await again.file.end(10_000);
  const expected = Array.from({ length: 1_001 }, (_, index) => `line ${index}\n`).join('');
  expect(readFileSync(path, 'utf8')).toBe(expected);
  expect(statSync(path).mode & 0o777 & ~0o640).toBe(0);
});

it('what waits is written at once when the process ends, and what is being written is not written twice', async () => {
  const { file } = opened();
  const first = file.write(Buffer.from('being written\n'));
  write(file, 'waits\n');
  write(file, 'waits too\n');
  file.flush();
  expect(readFileSync(path, 'utf8')).toContain('waits\nwaits too\n');
  await first;
  await file.end(10_000);
  expect(readFileSync(path, 'utf8').split('\n').sort()).toEqual(['', 'being written', 'waits', 'waits too']);
});

it('is opened anew under load: every line is whole, in order and in one of the files', async () => {
  const { file, dropped } = opened();
  const rotations = 20;
  let index = 0;
  for (let rotation = 0; rotation < rotations; rotation++) {
    for (const until = index + 500; index < until; index++)
      write(file, `line ${index} ${'x'.repeat(index % 300)}\n`);
    renameSync(path, `${path}.${rotation}`);
    const reopened = file.reopen();
    for (const until = index + 500; index < until; index++)
      write(file, `line ${index} ${'x'.repeat(index % 300)}\n`);
    await reopened;
    await vi.waitUntil(() => existsSync(path));
  }
  await file.end(10_000);
  const files = [...Array.from({ length: rotations }, (_, rotation) => `${path}.${rotation}`), path];
  const texts = files.map(each => readFileSync(each, 'utf8'));
  for (const text of texts) expect(text === '' || text.endsWith('\n')).toBe(true);
  const expected = Array.from({ length: index }, (_, each) => `line ${each} ${'x'.repeat(each % 300)}\n`);
  expect(texts.join('')).toBe(expected.join(''));
  expect(dropped()).toBe(0);
});

it('a file that was renamed while it was being opened is not used: the last name counts', async () => {
  const { file } = opened();
  const first = file.reopen();
  renameSync(path, `${path}.1`);
  const second = file.reopen();
  await Promise.all([first, second]);
  write(file, 'new\n');
  await file.end(10_000);
  expect(readFileSync(path, 'utf8')).toBe('new\n');
});

it('goes on with the old file when the new one cannot be opened, and opens it the next time', async () => {
  const { file } = opened();
  write(file, 'one\n');
  renameSync(directory, `${directory}.away`);
  await expect(file.reopen()).rejects.toThrow('ENOENT');
  write(file, 'two\n');
  renameSync(`${directory}.away`, directory);
  renameSync(path, `${path}.1`);
  await file.reopen();
  write(file, 'three\n');
  await file.end(10_000);
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('one\ntwo\n');
  expect(readFileSync(path, 'utf8')).toBe('three\n');
});

it('cannot be opened where there is no folder, or no reader of a pipe', () => {
  expect(() => opened(join(directory, 'none', 'access.log'))).toThrow('ENOENT');
  expect(() => opened(directory)).toThrow('EISDIR');
});

it('a full disk is told once; lines wait for room, and are dropped and counted beyond it', async () => {
  const clock = new ManualClock();
  const { file, troubles, dropped } = opened('/dev/full', { clock, maxWaitingBytes: 100 });
  write(file, `${'x'.repeat(59)}\n`);
  await vi.waitUntil(() => troubles.length > 0);
  expect(troubles).toEqual(['ENOSPC']);
  write(file, 'waits\n');
  expect(dropped()).toBe(0);
  write(file, `${'y'.repeat(40)}\nz\n`);
  expect(dropped()).toBe(2);
  await Promise.all([file.end(1), Promise.resolve().then(() => clock.advance(1))]);
  write(file, 'after the end\n');
  expect(dropped()).toBe(4);
  clock.advance(1_000);
  expect(dropped()).toBe(5);
});

it('tells when the memory of lines may be used again: when they have been written, or dropped', async () => {
  const clock = new ManualClock();
  const link = join(directory, 'link');
  symlinkSync('/dev/full', link);
  const { file, troubles, dropped } = opened(link, { clock, maxWaitingBytes: 12 });
  const memory = Buffer.from(new SharedArrayBuffer(4));
  memory.write('one\n');
  const over: string[] = [];
  const first = file.write(memory).then(() => over.push('one'));
  await vi.waitUntil(() => troubles.length === 1);
  const second = file.write(Buffer.from('two\n')).then(() => over.push('two'));
  await file.write(Buffer.from('too long\n')).then(() => over.push('too long'));
  expect(over).toEqual(['too long']);
  unlinkSync(link);
  await file.reopen();
  clock.advance(1_000);
  await Promise.all([first, second]);
  expect(readFileSync(link, 'utf8')).toBe('one\ntwo\n');
  expect(dropped()).toBe(1);
  await file.end(1_000);
});

it('a file that ends while its disk is full gives the memory of all lines back', async () => {
  const clock = new ManualClock();
  const { file, troubles } = opened('/dev/full', { clock });
  const waiting = ['one\n', 'two\n'].map(line => file.write(Buffer.from(line)));
  await vi.waitUntil(() => troubles.length === 1);
  await Promise.all([file.end(1), Promise.resolve().then(() => clock.advance(1))]);
  await waiting[1];
  clock.advance(1_000);
  await waiting[0];
});

it('a rotation frees a full disk: what waits goes to the new file', async () => {
  const clock = new ManualClock();
  const link = join(directory, 'link');
  symlinkSync('/dev/full', link);
  const { file, troubles } = opened(link, { clock });
  write(file, 'one\n');
  await vi.waitUntil(() => troubles.length === 1);
  unlinkSync(link);
  await file.reopen();
  write(file, 'two\n');
  clock.advance(1_000);
  await vi.waitUntil(() => troubles.length >= 2 || readFileSync(link, 'utf8') !== '');
  await vi.waitUntil(() => readFileSync(link, 'utf8') === 'one\ntwo\n');
  expect(troubles).toEqual(['ENOSPC', undefined]);
  await file.end(1_000);
});

it('what is given up on a full disk is closed all the same', async () => {
  const clock = new ManualClock();
  const link = join(directory, 'link');
  symlinkSync('/dev/full', link);
  const { file, troubles, dropped } = opened(link, { clock });
  write(file, 'one\n');
  await vi.waitUntil(() => troubles.length === 1);
  const ended = file.end(500);
  clock.advance(500);
  await ended;
  const isOpen = () =>
    readdirSync('/proc/self/fd').some(name => linkOf(join('/proc/self/fd', name)) === '/dev/full');
  expect(isOpen()).toBe(true);
  // the write would be tried again
  clock.advance(500);
  await vi.waitUntil(() => !isOpen());
  expect(dropped()).toBe(1);
});

/** Descriptors may be closed while they are listed. */
function linkOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(descriptor);
  } catch {
    return undefined;
  }
}

it('is opened anew amid a line: the rest of that line is dropped, and the new file begins with a whole one', async () => {
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const clock = new ManualClock();
  const { file, dropped } = opened(path, { clock });
  const lines = Array.from({ length: 300 }, (_, index) => `${index} ${'x'.repeat(997)}\n`);
  // more than a pipe takes
  write(file, lines.join(''));
  const held = Buffer.alloc(1024 * 1024);
  renameSync(path, `${path}.1`);
  await file.reopen();
  await vi.waitUntil(() => {
    clock.advance(50);
    return existsSync(path) && readFileSync(path, 'utf8').endsWith(lines.at(-1) ?? '');
  });
  const before = held.toString('latin1', 0, readSync(reader, held));
  const after = readFileSync(path, 'utf8').split(/(?<=\n)/);
  closeSync(reader);
  expect(before.length).toBeGreaterThan(0);
  const whole = before.split(/(?<=\n)/).filter(line => line.endsWith('\n'));
  expect(dropped()).toBe(before.endsWith('\n') ? 0 : 1);
  expect([...whole, ...lines.slice(whole.length, whole.length + dropped()), ...after]).toEqual(lines);
  await file.end(1_000);
});
