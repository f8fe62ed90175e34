import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';

const script = new URL('../support/delivery-process.ts', import.meta.url).pathname;
const state = mkdtempSync(join(tmpdir(), 'tidegate-outbox-'));
const sender: { process?: ChildProcessByStdio<Writable, Readable, null> } = {};
const closing: Server[] = [];

afterEach(() => {
  sender.process?.kill('SIGKILL');
  for (const server of closing) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(state, { recursive: true, force: true });
});

function start(url: string) {
  sender.process = spawn(process.execPath, [script, state, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  return sender.process;
}

async function kill(): Promise<void> {
  const { process } = sender;
  if (!process) return;
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

it('a sender that is killed again and again tells everything, and repeats only what was in flight', async () => {
  const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
  const posted: string[][] = [];
  const all = Promise.withResolvers<void>();
  // killed before it is answered, and right after: the first posts of every life
  const fates = ['unanswered', 'answered', 'unanswered', 'answered', 'unanswered'];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const told: string[] = JSON.parse(body).keys;
    posted.push(told);
    const fate = fates[posted.length - 1];
    if (fate !== 'unanswered') response.end('1');
    if (fate !== undefined) {
      await kill();
      start(url);
    }
    if (keys.every(key => posted.flat().includes(key))) all.resolve();
  });
  closing.push(server);
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook`;

  // the first life reaches no service at all; what it said to be queued is on disk
  const first = start('http://127.0.0.1:1/');
  const lines = createInterface({ input: first.stdout })[Symbol.asyncIterator]();
  for (const key of keys) {
    first.stdin.write(`${key}\n`);
    expect((await lines.next()).value).toBe(key);
  }
  await kill();
  start(url);
  await all.promise;

  const repeats = posted.flat().length - keys.length;
  expect(repeats).toBeLessThanOrEqual(fates.length);
});
