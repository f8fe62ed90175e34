import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commandOf } from '../support/dockerfile.ts';
import { freePort, RealProcess } from '../support/real-process.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-container-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** The exit code of the HEALTHCHECK of the Dockerfile. */
async function health(admin: string): Promise<number | null> {
  const [, ...options] = commandOf('HEALTHCHECK');
  const environment = { PATH: process.env.PATH, TIDEGATE_ADMIN: admin };
  const child = spawn(process.execPath, options, { env: environment, stdio: 'ignore' });
  const [code] = await once(child, 'close');
  return code;
}

const addressOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`;

/** A running gateway whose admin port listens there. */
async function gatewayAt(host: string, port: number): Promise<RealProcess> {
  const file = join(directory, 'gateway.yaml');
  writeFileSync(file, JSON.stringify({ listen: { port: await freePort() }, admin: { host, port } }));
  const gateway = new RealProcess(process.execPath, [main, 'serve', '--config', file], { cwd: directory });
  await gateway
    .answers(`http://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`)
    .catch(async error => {
      await gateway.stop();
      throw error;
    });
  return gateway;
}

it('the health check of the image is 0 while the gateway runs, and 1 when it has ended', async () => {
  const port = await freePort();
  const forms = [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `http://127.0.0.1:${port}`,
    `HTTP://127.0.0.1:${port}/`,
  ];
  const gateway = await gatewayAt('127.0.0.1', port);
  try {
    for (const form of forms) expect([form, await health(form)]).toEqual([form, 0]);
    for (const form of ['127.0.0.1', 'not an address', `https://127.0.0.1:${port}`])
      expect([form, await health(form)]).toEqual([form, 1]);
  } finally {
    await gateway.stop();
  }
  for (const form of forms) expect([form, await health(form)]).toEqual([form, 1]);
});

it('finds an admin port on an IPv6 address', async () => {
  const port = await freePort();
  const gateway = await gatewayAt('::1', port);
  try {
    for (const form of [`[::1]:${port}`, `http://[::1]:${port}`])
      expect([form, await health(form)]).toEqual([form, 0]);
  } finally {
    await gateway.stop();
  }
});

it('asks at ports that fetch refuses as well', async () => {
  const server = createServer((_, reply) => reply.end());
  // "bad ports" of the Fetch standard; the first one that is free
  for (const port of [10_080, 6_697, 6_669, 6_668, 6_667, 6_666, 6_566]) {
    server.listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) break;
  }
  try {
    expect(await health(addressOf(server))).toBe(0);
  } finally {
    server.close();
  }
});

it('is 1 when the gateway says that it is not well', async () => {
  const server = createServer((request, reply) =>
    reply.writeHead(request.url === '/healthz' ? 503 : 200).end(),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    expect(await health(addressOf(server))).toBe(1);
  } finally {
    server.close();
  }
});
