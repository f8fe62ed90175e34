import { afterEach, beforeEach, expect, it } from 'vitest';
import { QueueClient } from '../../../../src/admin/events/queue-client.ts';
import { HeldCredentials } from '../../../../src/backend/credentials/held-credentials.ts';
import type { StoreCredentials } from '../../../../src/backend/s3/s3-store.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { queueAccount, StandInQueue } from '../../../support/stand-in-queue.ts';

let queue: StandInQueue;
let clients: QueueClient[] = [];

beforeEach(async () => {
  queue = await StandInQueue.start();
});

afterEach(async () => {
  await Promise.all(clients.map(client => client.close()));
  clients = [];
  queue.stop();
});

function connect(
  credentials: StoreCredentials = { kind: 'static', ...queueAccount },
  { url = queue.url, clock = systemClock } = {},
): QueueClient {
  const client = new QueueClient({ url, region: 'eu-west-1', waitMs: 20_000, credentials, clock });
  clients.push(client);
  return client;
}

const never = new AbortController().signal;

it('waits for messages, with questions that another signer would have signed alike', async () => {
  const receiving = connect().receive(never);
  await expect.poll(() => queue.waiting).toBe(1);
  queue.send('a body');
  expect(await receiving).toEqual([{ id: 'm1', receipt: 'r1', body: 'a body' }]);
  expect(queue.questions).toEqual([
    {
      action: 'ReceiveMessage',
      body: { QueueUrl: queue.url, MaxNumberOfMessages: 10, WaitTimeSeconds: 20 },
    },
  ]);
});

it('has none when the queue has waited in vain', async () => {
  const receiving = connect().receive(never);
  await expect.poll(() => queue.waiting).toBe(1);
  queue.wake();
  expect(await receiving).toEqual([]);
});

it('deletes messages together, and tells how many the queue has kept', async () => {
  for (const body of ['a', 'b', 'c']) queue.send(body);
  const messages = await connect().receive(never);
  queue.undeletable.add('r2');
  expect(await connect().delete(messages)).toBe(1);
  expect(queue.deleted).toEqual(['r1', 'r3']);
});

it('breaks a question off', async () => {
  const stopping = new AbortController();
  const receiving = connect().receive(stopping.signal);
  await expect.poll(() => queue.waiting).toBe(1);
  stopping.abort();
  await expect(receiving).rejects.toMatchObject({ action: 'ReceiveMessage' });
  await expect.poll(() => queue.waiting).toBe(0);
});

it('gives a question up that is answered by nothing at all', async () => {
  const clock = new ManualClock(Date.now());
  const receiving = connect(undefined, { url: queue.url, clock }).receive(never);
  await expect.poll(() => queue.waiting).toBe(1);
  clock.advance(29_999);
  expect(queue.waiting).toBe(1);
  clock.advance(1);
  await expect(receiving).rejects.toMatchObject({ code: 'TIMEOUT' });
});

function messages(count: number, MessageId = 'i', ReceiptHandle = 'r'): string {
  return JSON.stringify({ Messages: Array(count).fill({ MessageId, ReceiptHandle, Body: '{}' }) });
}

it.each([
  ['an error of the queue', 400, '{"__type":"com.amazonaws.sqs#QueueDoesNotExist"}', 'QueueDoesNotExist'],
  ['a type that is no name', 400, '{"__type":"AKID SECRET <b>"}', 'STATUS_400'],
  ['an error page', 503, '<html>', 'STATUS_503'],
  ['a page in place of an answer', 200, '<html>', 'INVALID_ANSWER'],
  ['messages without receipts', 200, '{"Messages":[{"MessageId":"a","Body":"b"}]}', 'INVALID_ANSWER'],
  ['more messages than it asked for', 200, messages(11), 'INVALID_ANSWER'],
  ['a message whose name is as long as a body', 200, messages(1, 'i'.repeat(129)), 'INVALID_ANSWER'],
  ['a receipt as long as a body', 200, messages(1, 'i', 'r'.repeat(4_097)), 'INVALID_ANSWER'],
  ['an answer without end', 200, ' '.repeat(25 * 1024 * 1024), 'ANSWER_TOO_LARGE'],
])('names %s', async (_, status, body, code) => {
  queue.faults.push({ status, body });
  await expect(connect().receive(never)).rejects.toMatchObject({ code });
});

it('names what is wrong with the connection, and with the signature', async () => {
  const closed = connect(undefined, { url: 'http://127.0.0.1:1/q', clock: systemClock });
  await expect(closed.receive(never)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  const wrong = connect({ kind: 'static', ...queueAccount, secretAccessKey: 'other' });
  await expect(wrong.receive(never)).rejects.toMatchObject({ code: 'InvalidSignatureException' });
  await expect(connect({ kind: 'none' }).receive(never)).rejects.toMatchObject({
    code: 'InvalidSignatureException',
  });
});

it('signs with the newest credentials, and reports those that are refused', async () => {
  const refused: string[] = [];
  const held = new HeldCredentials(undefined, id => void refused.push(id));
  const asking = connect({ kind: 'held', held });
  await expect(asking.receive(never)).rejects.toMatchObject({ code: 'NO_CREDENTIALS' });
  expect(queue.questions).toEqual([]);
  held.replace(queueAccount);
  for (const other of ['com.amazonaws.sqs#QueueDoesNotExist', 'InvalidSignatureException']) {
    queue.faults.push({ status: 400, body: JSON.stringify({ __type: other }) });
    await expect(asking.receive(never)).rejects.toMatchObject({ code: other.replace(/^.*#/, '') });
  }
  expect(refused).toEqual([]);
  queue.faults.push({ status: 400, body: '{"__type":"com.amazon.coral.service#ExpiredTokenException"}' });
  await expect(asking.receive(never)).rejects.toMatchObject({ code: 'ExpiredTokenException' });
  expect(refused).toEqual(['QUEUE']);
  queue.send('a');
  expect(await asking.receive(never)).toHaveLength(1);
});
