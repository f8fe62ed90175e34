import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort, RealProcess } from '../support/real-process.ts';
import { StandInStore } from '../support/stand-in-store.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;
const hurry = new URL('../fixtures/hurried-supervisor.ts', import.meta.url).pathname;

let directory: string;
let gateway: RealProcess | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-state-outage-'));
});

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  rmSync(directory, { recursive: true, force: true });
});

/** A webhook that takes every card, or refuses them all for a time. */
async function startWebhook() {
  const cards: string[] = [];
  const state = { accepts: true };
  const server = createServer(async (request, response) => {
    const card = await text(request);
    if (state.accepts) cards.push(card);
    response.writeHead(state.accepts ? 200 : 503).end(state.accepts ? '1' : 'busy');
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { cards, state, url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

it('a state directory that is lost while the gateway runs: said, told by card, and nothing else suffers', async () => {
  const store = await StandInStore.start();
  store.put('photos', 'cat', 'meow');
  const webhook = await startWebhook();
  const [port, adminPort] = [await freePort(), await freePort()];
  const state = join(directory, 'state');
  const file = join(directory, 'gateway.yaml');
  writeFileSync(
    file,
    `{ listen: { port: ${port} }, admin: { port: ${adminPort} }, state: { directory: "${state}" },
       backends: { main: { type: s3, endpoint: "${store.url}" } },
       buckets: { photos: { backend: main, access: public } },
       alerts: { webhooks: [{ url: "${webhook.url}", minSeverity: info }] } }`,
  );
  const admin = `http://127.0.0.1:${adminPort}`;
  const started = new RealProcess(process.execPath, ['--import', hurry, main, '-c', file], {
    cwd: directory,
  });
  gateway = started;
  await started.answers(`${admin}/readyz`);
  const post = (path: string, body: object) =>
    fetch(`${admin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const silence = { labels: { bucket: 'b' }, for: '1h', by: 'ann', why: 'known' };

  rmSync(state, { recursive: true });
  writeFileSync(state, 'in the way');
  const refused = await post('/api/silences', silence);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: 'STATE_UNSAVED' });
  expect((await post('/api/alerts/test', { rule: 'restartLoop' })).status).toBe(202);
  const told = (words: string) => webhook.cards.some(card => card.includes(words));
  await expect.poll(() => told('Workers keep dying')).toBe(true);
  await expect.poll(() => told('The state directory cannot be used')).toBe(true);
  const read = await fetch(`http://127.0.0.1:${port}/photos/cat`);
  expect(await read.text()).toBe('meow');
  await expect.poll(async () => (await fetch(`${admin}/readyz`)).status).toBe(200);

  rmSync(state);
  expect((await post('/api/silences', silence)).status).toBe(201);
  expect(existsSync(join(state, 'alerts.sqlite'))).toBe(true);
  await expect.poll(() => started.output).toContain('the state directory can be used again');
  expect(started.output).toContain('cannot be used: its content is kept in memory');
  expect(await started.stop()).toBe(0);

  // what was written anew is what the next start finds
  const again = new RealProcess(process.execPath, ['--import', hurry, main, '-c', file], { cwd: directory });
  gateway = again;
  await again.answers(`${admin}/readyz`);
  expect(await (await fetch(`${admin}/api/silences`)).json()).toMatchObject([{ by: 'ann' }]);
  expect(await again.stop()).toBe(0);
  webhook.close();
  await store.close();
});
