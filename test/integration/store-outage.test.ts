import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AdminPort } from '../../src/admin/admin-port.ts';
import { type BuiltInChannel, createBuiltInChannel } from '../../src/admin/channel/built-in-channel.ts';
import type { ChannelMessage } from '../../src/admin/channel/channel.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { startAdminServer } from '../support/admin-server.ts';
import { freePort, RealProcess } from '../support/real-process.ts';
import { StandInStore } from '../support/stand-in-store.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;
/** Alerts are watched five times as fast. */
const hurry = new URL('../fixtures/hurried-supervisor.ts', import.meta.url).pathname;
let directory: string;
let channel: BuiltInChannel;
let admin: AdminPort;
let store: StandInStore;
let gateway: RealProcess;
let object: string;
let adminUrl: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-outage-'));
  channel = await createBuiltInChannel(systemClock);
  admin = await startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token: undefined, logger: silentLogger() },
    routes: channel.routes(undefined, []),
  });
  store = await StandInStore.start();
  store.put('photos', 'a.txt', 'here');
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = join(directory, 'gateway.yaml');
  writeFileSync(
    file,
    `
listen: { port: ${port} }
admin: { port: ${adminPort} }
backends: { main: { type: s3, endpoint: "${store.url}", timeouts: { connect: 20s } } }
buckets: { photos: { backend: main, access: public, cache: { ttl: 0s } } }
alerts:
  webhooks: [{ url: "http://127.0.0.1:${admin.port}${channel.webhookPath}" }]
  rules: { backendUnreachable: { window: 5s, minRequests: 1, clearFor: 11s } }
`,
  );
  gateway = new RealProcess(process.execPath, ['--import', hurry, main, '-c', file], {
    cwd: directory,
  });
  adminUrl = `http://127.0.0.1:${adminPort}`;
  await gateway.answers(`${adminUrl}/readyz`);
  object = `http://127.0.0.1:${port}/photos/a.txt`;
});
afterEach(async () => {
  await gateway.stop();
  await store.close();
  channel.close();
  await admin.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Reads the object again and again until a card's text holds `words`. */
async function readUntilTold(words: string): Promise<ChannelMessage> {
  const { promise, resolve } = Promise.withResolvers<ChannelMessage>();
  const told = (message: ChannelMessage) => JSON.stringify(message.cards).includes(words);
  const end = channel.channel.subscribe(message => told(message) && resolve(message));
  let done = false;
  const reading = (async () => {
    // what a few readers would ask for
    for (; !done; await wait(50)) await fetch(object).then(answer => answer.text());
  })();
  const message = await promise;
  end();
  done = true;
  await reading;
  return message;
}

/** What the status page shows of the outage: the failed requests over time, and an alert that can be taken over. */
async function checkPageData(): Promise<void> {
  const ask = async (path: string, body?: object) => {
    const post = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const answer = await fetch(adminUrl + path, body === undefined ? {} : post);
    return JSON.parse(await answer.text());
  };
  const { samples } = await ask('/api/status/history');
  expect(Math.max(...samples.errors)).toBeGreaterThan(0);
  const { alerts } = await ask('/api/alerts');
  const why = 'nothing listens there (ECONNREFUSED)';
  expect(alerts[0]).toMatchObject({ rule: 'backendUnreachable', cause: 'ECONNREFUSED' });
  expect(alerts[0].summary).toContain(why);
  expect((await ask('/readyz')).warnings).toContain(
    `backendUnreachable: A backend does not answer, or only with errors (backend main): ${why}`,
  );
  expect((await ask('/api/status')).warnings.join()).toContain(why);
  const taken = await ask('/api/alerts/acknowledge', { id: alerts[0].id, by: 'Ada' });
  expect(taken).toMatchObject({ id: alerts[0].id, state: 'firing', acknowledgedBy: 'Ada' });
}

it('a store that goes away and comes back is told in exactly one firing and one resolved card', async () => {
  expect(await (await fetch(object)).text()).toBe('here');
  const { port } = store;
  await store.close();
  const firing = await readUntilTold('does not answer');
  await checkPageData();
  store = await StandInStore.start({ port });
  store.put('photos', 'a.txt', 'here');
  const resolved = await readUntilTold('Resolved');
  // whatever else it has to tell, it tells before it ends
  await gateway.stop();
  expect(channel.channel.messages()).toEqual([firing, resolved]);
  expect(JSON.stringify(firing.cards)).toContain('Critical: A backend does not answer');
  expect(JSON.stringify(firing.cards)).toContain('nothing listens there (ECONNREFUSED)');
  expect(JSON.stringify(resolved.cards)).toMatch(/lasted [\d.]+ s/);
});
