import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const startAndStay = fileURLToPath(new URL('../../fixtures/start-and-stay.ts', import.meta.url));

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'what a test run has started ends with it, when that is ended by %s',
  async signal => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const run = spawn(process.execPath, [startAndStay, String(port)], { stdio: 'ignore' });
    onTestFinished(() => void run.kill('SIGKILL'));
    const [socket]: Socket[] = await once(server, 'connection');
    const hasEnded = new Promise(resolve => socket?.on('error', () => undefined).once('close', resolve));
    socket?.resume();
    const exited = once(run, 'exit');
    run.kill(signal);
    expect(await exited).toEqual([null, signal]);
    await hasEnded;
  },
);
