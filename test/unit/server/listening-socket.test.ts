import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { ListenError } from '../../../src/base/listen-error.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { claimAddresses } from '../../../src/server/claim-address.ts';
import { type HttpListener, listenHttp } from '../../../src/server/http-listener.ts';
import type { ListenAddress } from '../../../src/server/listen-address.ts';
import { defaultLimits } from '../../support/client-limits.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function socketPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-socket-'));
  closing.push(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'tidegate.sock');
}

async function start(...addresses: ListenAddress[]): Promise<HttpListener> {
  const listener = await listenHttp({
    ...{ addresses, reusePort: false, limits: defaultLimits, logger: silentLogger() },
    handle: (asked, response) => void response.end(`answer to ${asked.headers.host}`),
  });
  closing.push(() => listener.drain(0));
  return listener;
}

const unixAt = (path: string, mode = 0o660) => ({ kind: 'unix' as const, path, mode });

async function ask(where: { socketPath: string } | { host: string; port: number }): Promise<string> {
  const sent = request({ ...where, agent: false });
  sent.end();
  const [response] = await once(sent, 'response');
  return text(response);
}

const keyOf = (index: number) => `listen[${index}]`;

/** A socket file as a killed process leaves it behind. */
async function staleSocket(path: string): Promise<void> {
  const server = createServer().listen(`${path}.bound`);
  await once(server, 'listening');
  const { renameSync } = await import('node:fs');
  renameSync(`${path}.bound`, path);
  server.close();
  await once(server, 'close');
}

it('one listener serves several addresses, IPv4, IPv6 and a unix socket', async () => {
  const path = socketPath();
  const addresses = [
    { kind: 'tcp' as const, host: '127.0.0.1', port: 0 },
    { kind: 'tcp' as const, host: '::1', port: 0 },
  ];
  const [four, six] = await claimAddresses(addresses, keyOf);
  if (four?.kind !== 'tcp' || six?.kind !== 'tcp') throw new Error('not claimed');
  await start(four, six, unixAt(path));
  expect(await ask(four)).toBe(`answer to 127.0.0.1:${four.port}`);
  expect(await ask(six)).toBe(`answer to [::1]:${six.port}`);
  expect(await ask({ socketPath: path })).toBe('answer to localhost');
});

it('when one of several addresses cannot be bound, the others are closed', async () => {
  const [first] = await claimAddresses([{ kind: 'tcp', host: '127.0.0.1', port: 0 }], keyOf);
  if (first?.kind !== 'tcp') throw new Error('not claimed');
  const failure = await start(first, unixAt('/nowhere/at/all.sock')).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ListenError);
  expect(failure).toMatchObject({
    message: expect.stringMatching(/^cannot listen on \/nowhere\/at\/all\.sock: /),
  });
  const refused = connect(first.port, '127.0.0.1');
  const [error] = await once(refused, 'error');
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
});

it('a unix socket has the permissions that are configured, and is removed by the drain', async () => {
  const path = socketPath();
  const listener = await start(unixAt(path, 0o600));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await listener.drain(1_000);
  expect(existsSync(path)).toBe(false);
});

it('a second instance on a unix socket is refused, and the first goes on', async () => {
  const path = socketPath();
  await start(unixAt(path));
  const failure = await claimAddresses([unixAt(path)], keyOf).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ListenError);
  expect(failure).toMatchObject({
    message: `cannot listen on ${path}: another instance listens there (listen[0])`,
  });
  expect(await ask({ socketPath: path })).toBe('answer to localhost');
});

it('a socket file that a killed process left behind is replaced', async () => {
  const path = socketPath();
  await staleSocket(path);
  expect(statSync(path).isSocket()).toBe(true);
  await start(...(await claimAddresses([unixAt(path)], keyOf)));
  expect(await ask({ socketPath: path })).toBe('answer to localhost');
});

it('a name that is not known is the reason in words', async () => {
  await expect(claimAddresses([{ kind: 'tcp', host: 'a..b', port: 1 }], keyOf)).rejects.toThrow(
    'cannot listen on a..b:1: this host name is not known (listen[0])',
  );
});

it('a folder that is not there is named as the reason', async () => {
  await expect(claimAddresses([{ kind: 'unix', path: '/nowhere/gateway.sock' }], keyOf)).rejects.toThrow(
    'cannot listen on /nowhere/gateway.sock: there is no such folder',
  );
});

it('a file that is no socket is left as it is', async () => {
  const path = socketPath();
  writeFileSync(path, 'notes');
  const failure = await claimAddresses([unixAt(path)], keyOf).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    message: `cannot listen on ${path}: there is a file at this path that is no socket (listen[0])`,
  });
  expect(statSync(path).isFile()).toBe(true);
});

it('a listener whose unix socket was taken over does not remove that of its successor', async () => {
  const path = socketPath();
  const first = await start(unixAt(path));
  await start(unixAt(path));
  await first.drain(0);
  expect(await ask({ socketPath: path })).toBe('answer to localhost');
});
