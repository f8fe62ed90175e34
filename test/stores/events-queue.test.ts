import {
  CreateBucketCommand,
  DeleteObjectCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { awsSigned, type Credentials } from './clients.ts';
import { Moto } from './moto.ts';

const timeout = 10_000;
const anybody = { accessKeyId: 'anybody', secretAccessKey: 'anybody' };
let moto: Moto;
let gateway: GatewayProcess | undefined;

beforeEach(async () => {
  moto = await Moto.start();
});

afterEach(async () => {
  await gateway?.stop();
  await moto.stop();
});

/** Asks Moto as the command line does; the field `query` of the answer. */
async function aws(credentials: Credentials, query: string, ...args: readonly string[]): Promise<string> {
  const printed = await awsSigned(moto.url, credentials, [...args, '--query', query, '--output', 'text']);
  return printed.trim();
}

/** A user who may receive and delete messages, and read objects. */
async function createUser(): Promise<Credentials> {
  // for Moto the batch is an action of its own; for the service itself it is that of a single message
  const Action = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:DeleteMessageBatch', 's3:*'];
  const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource: '*' }] };
  await aws(anybody, 'User.UserName', 'iam', 'create-user', '--user-name', 'gateway');
  const [file, name] = [JSON.stringify(policy), 'gateway'];
  await awsSigned(moto.url, anybody, [
    ...['iam', 'put-user-policy', '--user-name', name, '--policy-name', name, '--policy-document', file],
  ]);
  const keys = 'AccessKey.[AccessKeyId,SecretAccessKey]';
  const printed = await aws(anybody, keys, 'iam', 'create-access-key', '--user-name', name);
  const [accessKeyId = '', secretAccessKey = ''] = printed.split(/\s+/);
  return { accessKeyId, secretAccessKey };
}

async function createQueue(): Promise<string> {
  return aws(anybody, 'QueueUrl', 'sqs', 'create-queue', '--queue-name', 'events');
}

/** A bucket whose changes are told to the queue. */
async function createBucket(client: S3Client): Promise<void> {
  await client.send(new CreateBucketCommand({ Bucket: 'photos' }));
  const QueueArn = 'arn:aws:sqs:us-east-1:123456789012:events';
  const Events = ['s3:ObjectCreated:*', 's3:ObjectRemoved:*'] as const;
  const NotificationConfiguration = { QueueConfigurations: [{ QueueArn, Events: [...Events] }] };
  await client.send(
    new PutBucketNotificationConfigurationCommand({ Bucket: 'photos', NotificationConfiguration }),
  );
}

const messagesIn = (url: string, credentials: Credentials) =>
  aws(
    credentials,
    'Attributes.[ApproximateNumberOfMessages,ApproximateNumberOfMessagesNotVisible]',
    ...['sqs', 'get-queue-attributes', '--queue-url', url, '--attribute-names', 'All'],
  );

function startGateway(url: string, credentials: Credentials): Promise<GatewayProcess> {
  const cache = { ttl: '1d', maxTtl: '1d', negativeTtl: '1d' };
  const anonymous = [{ actions: ['GetObject', 'ListBucket'] }];
  return GatewayProcess.start({
    backends: { store: { type: 's3', endpoint: moto.url, keys: 'exact', credentials } },
    buckets: { photos: { backend: 'store', access: 'public', anonymous, cache } },
    events: { queue: { url, region: 'us-east-1', credentials, wait: '2s' } },
    memory: '64MiB',
    workers: 2,
  });
}

it("what changes in Moto's store is seen by its queue, with a time to live of a day", async () => {
  const queue = await createQueue();
  const client = new S3Client({
    ...{ endpoint: moto.url, region: 'us-east-1', forcePathStyle: true, credentials: { ...anybody } },
  });
  await createBucket(client);
  gateway = await startGateway(queue, anybody);
  const read = async () => {
    const answer = await fetch(`${gateway?.url}/photos/folder/a%20b%2Bc.txt`);
    return `${answer.status} ${answer.ok ? await answer.text() : ''}`.trim();
  };
  const object = { Bucket: 'photos', Key: 'folder/a b+c.txt' };
  expect(await read()).toBe('404');
  await client.send(new PutObjectCommand({ ...object, Body: 'first' }));
  await expect.poll(read, { timeout }).toBe('200 first');
  await client.send(new PutObjectCommand({ ...object, Body: 'second' }));
  await expect.poll(read, { timeout }).toBe('200 second');
  await client.send(new DeleteObjectCommand(object));
  await expect.poll(read, { timeout }).toBe('404');
  await expect.poll(() => messagesIn(queue, anybody), { timeout }).toBe('0\t0');
  const metrics = await gateway.metrics();
  expect(metrics.total('events_queue_messages_total', { outcome: 'taken' })).toBeGreaterThanOrEqual(3);
  expect(metrics.total('events_queue_messages_total', { outcome: 'undeleted' })).toBe(0);
});

it('signs as botocore does: Moto takes messages from the queue for a user, and not for a wrong secret', async () => {
  const queue = await createQueue();
  const user = await createUser();
  const message = JSON.stringify({
    Records: [{ eventName: 'ObjectCreated:Put', s3: { bucket: { name: 'photos' }, object: { key: 'a' } } }],
  });
  const send = ['sqs', 'send-message', '--queue-url', queue, '--message-body', message];
  await aws(anybody, 'MessageId', ...send);
  await moto.requireSignatures();
  gateway = await startGateway(queue, { ...user, secretAccessKey: 'wrong' });
  // Moto says why in XML
  await expect.poll(() => gateway?.output, { timeout }).toContain('"cause":"STATUS_403"');
  await gateway.stop();
  gateway = await startGateway(queue, user);
  const taken = async () =>
    (await gateway?.metrics())?.total('events_queue_messages_total', { outcome: 'taken' });
  await expect.poll(taken, { timeout }).toBe(1);
  const metrics = await gateway.metrics();
  expect(metrics.total('events_queue_messages_total', { outcome: 'undeleted' })).toBe(0);
  expect(metrics.total('events_total', { result: 'invalidated' })).toBe(1);
});
