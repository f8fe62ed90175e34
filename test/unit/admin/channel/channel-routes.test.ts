import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BuiltInChannel, createBuiltInChannel } from '../../../../src/admin/channel/built-in-channel.ts';
import { createGuard } from '../../../../src/admin/guard.ts';
import { createRouter } from '../../../../src/admin/router.ts';
import { sharedPageFiles } from '../../../../src/admin/shared-page-files.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import { EventStream } from '../../../support/event-stream.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { everythingCard } from '../../../support/posted-cards.ts';

let clock: ManualClock;
let built: BuiltInChannel;
let server: Server;
let base: string;

beforeEach(async () => {
  clock = new ManualClock();
  built = await createBuiltInChannel(clock);
  const routes = [...sharedPageFiles(), ...built.routes(undefined, [])];
  const guard = createGuard('127.0.0.1', () => ({ names: [], token: undefined }));
  server = createServer(createRouter({ routes, guard, logger: silentLogger() }).handle);
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  base = `http://127.0.0.1:${address.port}`;
});
afterEach(() => {
  built.close();
  server.closeAllConnections();
  server.close();
});

const postJson = (path: string, value: unknown) =>
  fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });

it('serves the page with everything it needs, under a policy that lets nothing else in', async () => {
  const page = await fetch(`${base}/channel`);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(files.length).toBeGreaterThanOrEqual(4);
  for (const path of files) expect((await fetch(base + path)).status, path).toBe(200);
  expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
});

it('takes posts under a path that nobody can guess', async () => {
  expect(built.webhookPath).toMatch(/^\/channel\/webhook\/[0-9a-f-]{36}$/);
  expect((await postJson('/channel/webhook/x', everythingCard)).status).toBe(404);
  const reply = await postJson(built.webhookPath, everythingCard);
  expect([reply.status, await reply.text()]).toEqual([200, '1']);
});

it('streams what is held, then what comes, with the levels of the windows', async () => {
  await postJson(built.webhookPath, everythingCard);
  const events = await EventStream.open(`${base}/channel/events`);
  expect(await events.next('message')).toMatchObject({ id: 1, accent: '#d13438' });
  expect(await events.next('levels')).toMatchObject([
    { windowSeconds: 1, used: 1, limit: 4 },
    {},
    {},
    {},
    {},
  ]);
  await postJson(built.webhookPath, { text: 'more' });
  expect(await events.next('message')).toMatchObject({ id: 2, form: 'text' });
  clock.advance(1_000);
  expect(await events.next('levels')).toMatchObject([{ used: 0 }, { used: 2 }, {}, {}, {}]);
});

it('tells what the stream is, and takes no place for that', async () => {
  for (let asked = 0; asked < 33; asked++) {
    const { status, headers } = await fetch(`${base}/channel/events`, { method: 'HEAD' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  }
  const events = await EventStream.open(`${base}/channel/events`);
  expect(await events.next('levels')).toHaveLength(5);
});

it('has room for 32 open pages', async () => {
  const statuses: number[] = [];
  for (let page = 0; page < 33; page++) statuses.push((await fetch(`${base}/channel/events`)).status);
  expect(statuses.filter(status => status === 200)).toHaveLength(32);
  expect(statuses.at(-1)).toBe(503);
});

it.each([
  [{}],
  [{ message: 1, action: [0, 0, 0], inputs: {} }],
  [{ message: 1, action: [0], inputs: { a: 1 } }],
  ['x'],
])('refuses a press that is none: %j', async value => {
  expect((await postJson('/channel/actions', value)).status).toBe(400);
});

it('says that buttons need callbacks where there are none', async () => {
  const answer = await postJson('/channel/actions', { message: 1, action: [0], inputs: {} });
  expect(await answer.json()).toMatchObject({ kind: 'failed' });
});
