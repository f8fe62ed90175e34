import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { AdminError } from '../../../src/admin/admin-route.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import type { ToldChanges } from '../../../src/gateway/operate/store-changes.ts';
import { eventEffects, fetchCertificate } from '../../../src/wiring/events.ts';
import { listenLocally } from '../../support/listen-locally.ts';

/** @param known how many of the changes are in buckets that each worker knows */
function eventsOf(
  known: readonly number[] = [],
  onInvalidated: (changes: ToldChanges) => void = () => undefined,
) {
  const pool = { callAll: () => Promise.resolve(known) } as unknown as Parameters<typeof eventEffects>[0];
  return eventEffects(pool, new Metrics().counter('events', 'Events.', ['result']), onInvalidated);
}

const changes = { backend: undefined, changes: [{ bucket: 'b', keys: ['k'] }] };

it('a bucket is known if one worker knows it: another may have the configuration of before a reload', async () => {
  expect(await eventsOf([0, 1]).invalidate(changes)).toBe(1);
  expect(await eventsOf([1, 0]).invalidate(changes)).toBe(1);
  expect(await eventsOf([0, 0]).invalidate(changes)).toBe(0);
});

it('who warms is told once all workers have invalidated', async () => {
  const { promise, resolve } = Promise.withResolvers<readonly number[]>();
  const pool = { callAll: () => promise } as unknown as Parameters<typeof eventEffects>[0];
  const told: ToldChanges[] = [];
  const counted = new Metrics().counter('events', 'Events.', ['result']);
  const { invalidate } = eventEffects(pool, counted, all => told.push(all));
  const known = invalidate(changes);
  await Promise.resolve();
  expect(told).toEqual([]);
  resolve([1]);
  expect(await known).toBe(1);
  expect(told).toEqual([changes]);
});

it('while no worker is up, events are to be sent again, and nothing is warmed', async () => {
  const refused = eventsOf([], () => expect.unreachable()).invalidate(changes);
  await expect(refused).rejects.toThrow(AdminError);
  await expect(refused).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
});

it('a topic has got the answer when it says so, and no redirect is followed', async () => {
  const asked: (string | undefined)[] = [];
  const topic = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(Number(url?.slice(1)), { location: '/200' }).end();
  });
  onTestFinished(() => void topic.close());
  const base = await listenLocally(topic);
  const confirm = (status: number) => eventsOf().confirm(new URL(`${base}/${status}`));
  await confirm(200);
  for (const status of [302, 403, 500])
    await expect(confirm(status)).rejects.toThrow(`it answered ${status}`);
  expect(asked).toEqual(['/200', '/302', '/403', '/500']);
});

it('a certificate is fetched within bounds, and no redirect is followed', async () => {
  const asked: (string | undefined)[] = [];
  const service = createServer(({ url }, response) => {
    asked.push(url);
    if (url === '/pem') response.end('pem');
    else if (url === '/large') response.end('x'.repeat(32 * 1024 + 1));
    else response.writeHead(Number(url?.slice(1)), { location: '/pem' }).end('pem');
  });
  onTestFinished(() => void service.close());
  const base = await listenLocally(service);
  expect(await fetchCertificate(`${base}/pem`)).toBe('pem');
  await expect(fetchCertificate(`${base}/large`)).rejects.toThrow('it has more than 32768 bytes');
  for (const status of [302, 404, 500])
    await expect(fetchCertificate(`${base}/${status}`)).rejects.toThrow(`it answered ${status}`);
  expect(asked).toEqual(['/pem', '/large', '/302', '/404', '/500']);
});
