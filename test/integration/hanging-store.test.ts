import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { freePort, RealProcess } from '../support/real-process.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;

let directory: string;
let store: Server;
let sockets: Set<Socket>;
let gateways: RealProcess[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-hanging-'));
  gateways = [];
  sockets = new Set();
  // accepts every connection and request, and never answers
  store = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined).resume();
  });
  await new Promise<void>(listening => store.listen(0, '127.0.0.1', listening));
});
afterEach(async () => {
  await Promise.all(gateways.map(gateway => gateway.stop()));
  for (const socket of sockets) socket.destroy();
  await new Promise(closed => store.close(closed));
  rmSync(directory, { recursive: true, force: true });
});

/** A gateway with the timeouts and rules that are the defaults; gives the addresses of both ports. */
async function start(name: string, admin: string) {
  const address = store.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = join(directory, `${name}.yaml`);
  writeFileSync(
    file,
    `
listen: { port: ${port} }
admin: { port: ${adminPort}${admin} }
state: { directory: ./${name} }
backends: { main: { type: s3, endpoint: "http://127.0.0.1:${address.port}", credentials: none } }
buckets: { photos: { backend: main, access: public } }
`,
  );
  const gateway = new RealProcess(process.execPath, [main, '-c', file], { cwd: directory });
  gateways.push(gateway);
  await gateway.answers(`http://127.0.0.1:${adminPort}/readyz`);
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  return {
    photos: `http://127.0.0.1:${port}/photos`,
    readyz: `${adminUrl}/readyz`,
    toldAfterMs: () => toldAfterMs(gateway, adminUrl),
  };
}

/** From the first request that hung to the alert, by the times of the gateway: the test itself may be slow to look. */
async function toldAfterMs(gateway: RealProcess, adminUrl: string): Promise<number> {
  const begunMs = gateway.output
    .split('\n')
    .flatMap(line => (/"operation":"GetObject"/.test(line) ? [JSON.parse(line)] : []))
    .map(({ time, durationMs }) => Date.parse(time) - durationMs);
  const { alerts } = z
    .object({ alerts: z.array(z.object({ rule: z.string(), startedAt: z.string() })) })
    .parse(await (await fetch(`${adminUrl}/api/alerts`)).json());
  const told = alerts.find(({ rule }) => rule === 'backendUnreachable');
  return Date.parse(told?.startedAt ?? '') - Math.min(...begunMs);
}

it('a store that hangs is told within half a minute: a warning of /readyz, or 503 where that is configured', async () => {
  const [usual, strict] = await Promise.all([
    start('usual', ''),
    start('strict', ', unreadyOnCritical: true'),
  ]);
  const over = new AbortController();
  // what a few readers would ask for; most wait for the store until they are cut off
  const reading = (async () => {
    for (let number = 0; !over.signal.aborted; number++) {
      for (const { photos } of [usual, strict])
        void fetch(`${photos}/${number}`, { signal: over.signal }).catch(() => undefined);
      await wait(500);
    }
  })();
  const ask = async (readyz: string) => {
    const answer = await fetch(readyz);
    return { status: answer.status, body: await answer.json() };
  };
  const told = expect.stringMatching(/^backendUnreachable: /);
  await expect
    .poll(() => ask(strict.readyz), { interval: 250 })
    .toMatchObject({ status: 503, body: { status: 'not ready', reasons: [told], warnings: [told] } });
  await expect
    .poll(() => ask(usual.readyz), { interval: 250 })
    .toMatchObject({ status: 200, body: { status: 'ready', warnings: [told] } });
  for (const { toldAfterMs } of [usual, strict]) {
    const afterMs = await toldAfterMs();
    // no request fails sooner than the time limit for the first byte
    expect(afterMs).toBeGreaterThan(9_000);
    expect(afterMs).toBeLessThan(30_000);
  }
  over.abort();
  await reading;
});
