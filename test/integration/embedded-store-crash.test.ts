import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { startEmbeddedStore } from '../../src/embedded-store/embedded-store.ts';
import { filesBelow } from '../support/embedded-store/files-below.ts';
import { signWithSdk } from '../support/embedded-store/store-under-test.ts';
import { rawRequest } from '../support/raw-request.ts';
import { turnsUntil } from '../support/turns-until.ts';

const PROGRAM = new URL('../support/embedded-store/store-process.ts', import.meta.url).pathname;
let directory: string;
let running: ChildProcess | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'embedded-crash-'));
});
afterEach(async () => {
  await kill();
  await rm(directory, { recursive: true });
});

/** Starts the store in a process of its own and gives its URL. */
async function start(): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  running = child;
  const [line] = await once(child.stdout, 'data');
  return String(line).trim();
}

/** Ends the process without a chance to tidy up. */
async function kill(): Promise<void> {
  if (!running || running.exitCode !== null || running.signalCode !== null) return;
  const gone = once(running, 'exit');
  running.kill('SIGKILL');
  await gone;
}

const send = async (url: string, method: string, path: string, body?: string) =>
  rawRequest(url, await signWithSdk(url, { method, path, ...(body !== undefined && { body }) }));

it('keeps everything that was answered when the process is killed right after', async () => {
  const url = await start();
  await send(url, 'PUT', '/box');
  for (let i = 0; i < 20; i++) expect((await send(url, 'PUT', `/box/${i}`, `body ${i}`)).status).toBe(200);
  await kill();
  const again = await start();
  for (let i = 0; i < 20; i++) expect((await send(again, 'GET', `/box/${i}`)).text).toBe(`body ${i}`);
});

it('keeps the old object when the process is killed while a new one is arriving', async () => {
  const url = await start();
  await send(url, 'PUT', '/box');
  await send(url, 'PUT', '/box/k', 'old');
  const { hostname, port } = new URL(url);
  const { headers } = await signWithSdk(url, {
    method: 'PUT',
    path: '/box/k',
    headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  });
  const upload = request({
    hostname,
    port,
    method: 'PUT',
    path: '/box/k',
    headers: { ...headers, 'content-length': '1000000' },
  });
  upload.on('error', () => undefined);
  upload.write(Buffer.alloc(400_000, 'n'));
  await turnsUntil(
    'the upload is on disk',
    async () => (await filesBelow(join(directory, 'incoming'))).length === 1,
  );
  await kill();
  const again = await start();
  expect((await send(again, 'GET', '/box/k')).text).toBe('old');
  expect(await filesBelow(join(directory, 'incoming'))).toEqual([]);
  expect(await filesBelow(join(directory, 'blobs'))).toHaveLength(1);
});

it('refuses a second store on the same directory', async () => {
  await start();
  const second = startEmbeddedStore({
    directory,
    host: '127.0.0.1',
    port: 0,
    headerPrefix: 'x-amz-',
    accounts: [],
    clock: systemClock,
  });
  await expect(second).rejects.toMatchObject({ code: 'DIRECTORY_IN_USE' });
});
