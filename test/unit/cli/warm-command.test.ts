import { EventEmitter, once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { ManualClock } from '../../support/manual-clock.ts';

let server: Server;
let admin: string;
let lines: readonly object[][];
let clock: ManualClock;
let signals: EventEmitter;
/** Whether answers stay open behind their lines. */
let staysOpen: boolean;
/** Told each line that is shown. */
let onShown: () => void;
/** Told each request that has arrived whole. */
let onAsked: () => void;
let asked: { keys?: string[]; prefix?: string; from?: string; rate?: number }[];

const whole = { keys: 2, warmed: 1, held: 1, uncached: 0, failed: 0, bytes: 7, last: 'z', complete: true };

/** An admin port that answers each request with the next of `lines`, in pieces. */
beforeEach(async () => {
  lines = [];
  asked = [];
  clock = new ManualClock();
  signals = new EventEmitter();
  staysOpen = false;
  onShown = () => clock.advance(500);
  onAsked = () => undefined;
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const text = (lines[asked.length] ?? [whole]).map(line => `${JSON.stringify(line)}\n`).join('');
    asked.push(JSON.parse(body));
    onAsked();
    response.write(text.slice(0, 5));
    setImmediate(() => {
      if (staysOpen) response.write(text.slice(5));
      else response.end(text.slice(5));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  admin = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function run(...args: readonly string[]) {
  const [out, errors, shown]: string[][] = [[], [], []];
  const end = await runProgram(['warm', ...args, '--admin', admin], {
    version: '1.2.3',
    environment: {},
    serve: async () => undefined,
    serveStore: async () => undefined,
    clock,
    signals,
    build: async () => undefined,
    connect: async () => ({ backends: new Map(), queue: [] }),
    print: line => void out?.push(line),
    printError: line => void errors?.push(line),
    showProgress: line => {
      shown?.push(line);
      onShown();
    },
  });
  return { end, out, errors, shown };
}

it('tells how much was fetched, and shows how far it is', async () => {
  const { end, out, shown } = await run('b', 'a', 'z', '--rate', '5');
  expect(asked).toEqual([{ bucket: 'b', keys: ['a', 'z'], concurrency: 4, rate: 5 }]);
  expect(end).toEqual({ kind: 'ended', exitCode: 0 });
  expect(out).toEqual(['2 objects, 7 bytes: 1 fetched, 1 held already, 0 not kept, 0 failed']);
  expect(shown).toEqual([`[${'#'.repeat(30)}] 2 objects, 0 MiB, 1 fetched, 1 held, 0 failed  z`, '']);
});

it('sends a manifest in parts, from the key behind the last one on', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'tidegate-warm-')), 'keys');
  writeFileSync(file, Array.from({ length: 2_500 }, (_, index) => `k${index}\r\n`).join(''));
  const { out } = await run('b', '--manifest', file, '--from', 'k9');
  expect(asked.map(({ keys = [] }) => [keys[0], keys.length])).toEqual([
    ['k10', 1_000],
    ['k1010', 1_000],
    ['k2010', 490],
  ]);
  expect(out?.[0]).toMatch(/^6 objects, 21 bytes/);
});

it('a run that broke off ends with 1 and says where to go on', async () => {
  lines = [
    [
      { keys: 1, warmed: 1, bytes: 3, last: 'a\u001b' },
      { keys: 1, error: 'the store answered 500' },
    ],
    [],
  ];
  const { end, errors } = await run('b', '--prefix', '');
  expect(end).toEqual({ kind: 'ended', exitCode: 1 });
  expect(errors?.[0]).toBe('the store answered 500');
  lines = [[{ keys: 1, warmed: 1, bytes: 3, last: 'a' }]];
  asked = [];
  expect((await run('b', '--prefix', '')).errors).toEqual(['broken off; go on with --from "a"']);
});

it('names what could not be fetched, without control characters, and ends with 1', async () => {
  lines = [
    [
      { key: 'a\u001b[2J', error: 'CIRCUIT_OPEN' },
      { key: 'b', status: 404, code: 'NoSuchKey\n' },
      { key: '/c', notKept: 'no-store' },
      { ...whole, failed: 2 },
    ],
  ];
  const { end, errors } = await run('b', '--prefix', 'x');
  expect(end).toEqual({ kind: 'ended', exitCode: 1 });
  expect(errors).toEqual([
    'a\\u001b[2J: CIRCUIT_OPEN',
    'b: answered 404 NoSuchKey\\u000a',
    '/c: not kept: no-store',
  ]);
});

it('prints the lines as they are when told to', async () => {
  const { out } = await run('b', '--prefix', 'x', '--json');
  expect(out?.map(line => JSON.parse(line))).toEqual([whole]);
});

it('below a prefix, shows counts and how fast it is', async () => {
  lines = [
    [
      { keys: 2, warmed: 2, bytes: 3 * 2 ** 20, last: 'p/b' },
      { keys: 5, warmed: 3, held: 1, failed: 1, bytes: 4 * 2 ** 20, last: 'p/e', complete: true },
    ],
  ];
  expect((await run('b', '--prefix', 'p/')).shown).toEqual([
    '2 objects, 3 MiB, 2 fetched, 0 held, 0 failed  p/b',
    '5 objects, 10/s, 4 MiB, 3 fetched, 1 held, 1 failed  p/e',
    '',
  ]);
});

const progress = { keys: 1, warmed: 1, bytes: 3, last: 'p/a' };

it.each([
  ['SIGINT', 130, []],
  ['SIGTERM', 143, []],
  ['SIGINT', 130, ['--json']],
] as const)('ended by %s, tells how far it was, and ends with %i %j', async (signal, exitCode, more) => {
  staysOpen = true;
  lines = [[progress]];
  onShown = () => signals.emit(signal);
  const { end, out, errors } = await run('b', '--prefix', 'p/', ...more);
  expect(end).toEqual({ kind: 'ended', exitCode });
  expect(errors).toEqual(['interrupted; go on with --from "p/a"']);
  const counts = '1 object, 3 bytes: 1 fetched, 0 held already, 0 not kept, 0 failed';
  expect(out).toEqual([more.length > 0 ? JSON.stringify(progress) : counts]);
  expect(signals.eventNames(), 'another signal ends the process').not.toContain(signal);
});

it.each([
  ['where an earlier run was', ['--from', 'p/0'], 'interrupted; go on with --from "p/0"'],
  ['to start again', [], 'interrupted; nothing is known to be done: start again'],
])('ended before it was told anything, says %s', async (_, more, told) => {
  onAsked = () => signals.emit('SIGINT');
  staysOpen = true;
  lines = [[]];
  const { end, errors } = await run('b', '--prefix', 'p/', ...more);
  expect(end).toEqual({ kind: 'ended', exitCode: 130 });
  expect(errors).toEqual([told]);
});

it('says where to go on when the connection breaks, too', async () => {
  staysOpen = true;
  onShown = () => server.closeAllConnections();
  lines = [[progress]];
  const { end, errors } = await run('b', '--prefix', 'p/');
  expect(end).toEqual({ kind: 'ended', exitCode: 1 });
  expect(errors).toEqual([
    'broken off; go on with --from "p/a"',
    expect.stringMatching(/^tidegate: the answer of .* broke off$/),
  ]);
});

it.each([
  [['a', 'z', '--from', 'y'], '--from "y" is none of the keys'],
  [['--manifest', 'KEYS', '--from', 'y'], '--from "y" is none of the keys'],
  [['--prefix', 'p/', '--from', 'y'], '--from "y" does not begin with the prefix'],
  [['--manifest', '/none/keys'], '--manifest /none/keys cannot be read (ENOENT)'],
])('%j is wrong usage, and starts nothing over', async (args, reason) => {
  const file = join(mkdtempSync(join(tmpdir(), 'tidegate-warm-')), 'keys');
  writeFileSync(file, 'a\nz\n');
  const { end, errors } = await run('b', ...args.map(arg => (arg === 'KEYS' ? file : arg)));
  expect(end).toEqual({ kind: 'ended', exitCode: 2 });
  expect(errors).toEqual([`tidegate: ${reason}`]);
  expect(asked).toEqual([]);
});
