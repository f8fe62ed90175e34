import {
  CreateBucketCommand,
  DeleteObjectCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterEach, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { freePort } from '../support/real-process.ts';
import { Minio } from './minio.ts';
import type { RealStore } from './real-store.ts';
import { Versitygw } from './versitygw.ts';

const token = 'events-token';
/** How long an event may take on a busy machine. */
const timeout = 10_000;
let store: RealStore | undefined;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  await store?.stop();
});

/** Speaks to the store behind the gateway's back. */
function directClient({ directUrl, credentials }: RealStore): S3Client {
  return new S3Client({ endpoint: directUrl, region: 'us-east-1', forcePathStyle: true, credentials });
}

/** A gateway that believes for a day what it holds, with its admin port at `port`. */
function startGateway(
  { url, credentials }: Pick<RealStore, 'url' | 'credentials'>,
  port: number,
): Promise<GatewayProcess> {
  // who may list is told 404 of what is not there
  const anonymous = [{ actions: ['GetObject', 'ListBucket'] }];
  const cache = { ttl: '1d', maxTtl: '1d', negativeTtl: '1d' };
  return GatewayProcess.start({
    backends: { store: { type: 's3', endpoint: url, keys: 'path', credentials } },
    buckets: { photos: { backend: 'store', access: 'public', anonymous, cache } },
    admin: { port, eventsToken: token },
    memory: '64MiB',
    workers: 2,
  });
}

/** Writes, replaces and deletes behind the gateway, which has the old content from its cache until the event is there. */
async function followsChanges(client: S3Client, { url }: GatewayProcess): Promise<void> {
  const put = (Key: string, Body: string) =>
    client.send(new PutObjectCommand({ Bucket: 'photos', Key, Body }));
  for (const key of ['plain.txt', 'folder/with space+plus é.txt']) {
    const read = async () => {
      const answer = await fetch(`${url}/photos/${encodeURIComponent(key).replaceAll('%2F', '/')}`);
      return `${answer.status} ${answer.ok ? await answer.text() : ''}`.trim();
    };
    const cached = async () =>
      (await fetch(`${url}/photos/${encodeURIComponent(key)}`, { method: 'HEAD' })).headers.get('x-cache');
    expect(await read()).toBe('404');
    await put(key, 'first');
    await expect.poll(read, { timeout }).toBe('200 first');
    await put(key, 'second');
    await expect.poll(read, { timeout }).toBe('200 second');
    await client.send(new DeleteObjectCommand({ Bucket: 'photos', Key: key }));
    await expect.poll(read, { timeout }).toBe('404');
    await put(key, 'third');
    await expect.poll(read, { timeout }).toBe('200 third');
    await expect.poll(cached, { timeout }).toBe('HIT');
  }
}

it('what changes in MinIO is seen by its events, with a time to live of a day', async () => {
  const port = await freePort();
  store = await Minio.start({
    MINIO_NOTIFY_WEBHOOK_ENABLE_TIDEGATE: 'on',
    MINIO_NOTIFY_WEBHOOK_ENDPOINT_TIDEGATE: `http://127.0.0.1:${port}/api/events?backend=store`,
    MINIO_NOTIFY_WEBHOOK_AUTH_TOKEN_TIDEGATE: token,
  });
  gateway = await startGateway(store, port);
  const client = directClient(store);
  await client.send(new CreateBucketCommand({ Bucket: 'photos' }));
  await client.send(
    new PutBucketNotificationConfigurationCommand({
      Bucket: 'photos',
      NotificationConfiguration: {
        QueueConfigurations: [
          {
            QueueArn: 'arn:minio:sqs::TIDEGATE:webhook',
            Events: ['s3:ObjectCreated:*', 's3:ObjectRemoved:*'],
          },
        ],
      },
    }),
  );
  await followsChanges(client, gateway);
  const metrics = await gateway.metrics();
  expect(metrics.total('events_total', { result: 'invalidated' })).toBeGreaterThanOrEqual(8);
  expect(metrics.total('events_total', { result: 'unknown-bucket' })).toBe(0);
});

it('what changes in versitygw is seen by its events, with the token in the URL', async () => {
  const port = await freePort();
  // it wants an answer to its first event before it starts, and the gateway wants nothing of the store until it is asked
  const storePort = await freePort();
  const url = `http://127.0.0.1:${storePort}`;
  const credentials = { accessKeyId: 'store', secretAccessKey: 'store-secret' };
  gateway = await startGateway({ url, credentials }, port);
  store = await Versitygw.start(
    ['--event-webhook-url', `http://store:${token}@127.0.0.1:${port}/api/events`],
    storePort,
  );
  const client = directClient(store);
  await client.send(new CreateBucketCommand({ Bucket: 'photos' }));
  await followsChanges(client, gateway);
  const metrics = await gateway.metrics();
  expect(metrics.total('events_total', { result: 'ignored' })).toBe(1);
  expect(metrics.total('events_total', { result: 'invalidated' })).toBeGreaterThanOrEqual(8);
});
