import { afterEach, beforeEach, expect, it } from 'vitest';
import { QueueMeter } from '../../../src/admin/events/queue-meter.ts';
import { CredentialMeter } from '../../../src/backend/credentials/credential-meter.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { EventsQueue } from '../../../src/wiring/events-queue.ts';
import { queueAccount, StandInQueue } from '../../support/stand-in-queue.ts';

let queue: StandInQueue;
let reader: EventsQueue;
let metrics: Metrics;
let taken: unknown[];
let learned: string[];

beforeEach(async () => {
  queue = await StandInQueue.start();
  metrics = new Metrics();
  taken = [];
  learned = [];
  const clock = systemClock;
  reader = new EventsQueue({
    async take(body, backend) {
      taken.push([body, backend]);
      return { events: 1, invalidated: 1, unknownBucket: 0, ignored: 0, confirmed: 0 };
    },
    ...{ meter: new QueueMeter(metrics, clock), credentialMeter: new CredentialMeter(metrics, clock) },
    learn: (owner, { secretAccessKey }) => void learned.push(`${owner} ${secretAccessKey}`),
    ...{ clock, logger: silentLogger() },
  });
});

afterEach(async () => {
  await reader.stop();
  queue.stop();
});

const config = (settings: object) =>
  parseConfig(
    JSON.stringify({
      backends: { main: { type: 's3', endpoint: 'http://store' } },
      events: { queue: { url: queue.url, region: 'r', credentials: queueAccount, ...settings } },
    }),
    {},
  );
const none = parseConfig('', {});
const usable = async () =>
  (await metrics.snapshot())
    .find(({ name }) => name === 'tidegate_credentials_usable')
    ?.values.map(({ labels, value }) => `${labels.backend} ${value}`);

it('follows the configuration: a queue that comes, changes, stays and goes', async () => {
  reader.use(none);
  reader.use(config({}));
  await expect.poll(() => queue.waiting).toBe(1);
  reader.use(config({}));
  queue.send('{"first":1}');
  await expect.poll(() => queue.deleted).toEqual(['r1']);
  await expect.poll(() => queue.waiting).toBe(1);
  expect(queue.questions.filter(({ action }) => action === 'ReceiveMessage')).toHaveLength(2);
  reader.use(config({ backend: 'main', wait: '7s' }));
  await expect.poll(() => queue.questions.at(-1)?.body.WaitTimeSeconds).toBe(7);
  await expect.poll(() => queue.waiting).toBe(1);
  queue.send('{"second":2}');
  await expect.poll(() => queue.deleted).toEqual(['r1', 'r2']);
  expect(taken).toEqual([
    [{ first: 1 }, undefined],
    [{ second: 2 }, 'main'],
  ]);
  reader.use(none);
  await expect.poll(() => queue.waiting).toBe(0);
});

it('reads nothing more once it was stopped, whatever is configured', async () => {
  reader.use(config({}));
  await expect.poll(() => queue.waiting).toBe(1);
  await reader.stop();
  await expect.poll(() => queue.waiting).toBe(0);
  reader.use(config({ wait: '7s' }));
  queue.send('{}');
  // time enough for a question: these are answered
  for (let answered = 0; answered < 3; answered++)
    await fetch(queue.url, { method: 'POST', headers: { 'x-amz-target': 'Other' }, body: '{}' });
  expect(queue.questions.map(({ action }) => action)).toEqual(['ReceiveMessage', 'Other', 'Other', 'Other']);
  expect(taken).toEqual([]);
});

it('obtains credentials from their source, and tells of them as of those of a backend', async () => {
  const { accessKeyId, secretAccessKey, sessionToken } = queueAccount;
  const keys = {
    ...{ Version: 1, AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken },
    Expiration: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const credentials = { from: 'process', command: `printf %s '${JSON.stringify(keys)}'` };
  reader.use(config({ credentials }));
  queue.send('{}');
  await expect.poll(() => queue.deleted).toEqual(['r1']);
  expect(learned).toEqual([`events.queue ${secretAccessKey}`]);
  expect(await usable()).toEqual(['events.queue 1']);
  reader.use(config({ credentials: { from: 'process', command: 'exit 1' } }));
  await expect.poll(usable).toEqual(['events.queue 0']);
  reader.use(none);
  expect(await usable()).toEqual(['events.queue 1']);
});
