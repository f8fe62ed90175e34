import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { rawRequest } from '../support/raw-request.ts';
import { describingBytes, misplaced } from '../support/self-describing.ts';
import { sdkOf } from './answered-objects.ts';
import { answerFrom } from './answers.ts';
import { Minio } from './minio.ts';

const originBytes = 12 * 1024;
const objects = 4;
const objectBytes = 300_000;
const echoes = 160;
const atOnce = 4;

let store: Minio;
let gateway: GatewayProcess;

beforeAll(async () => {
  store = await Minio.start();
  const client = sdkOf(store);
  for (const Bucket of ['open', 'closed']) await client.send(new CreateBucketCommand({ Bucket }));
  await client.send(new PutObjectCommand({ Bucket: 'open', Key: 'k', Body: 'open to all' }));
  for (let object = 0; object < objects; object++) {
    const Body = describingBytes({ object, version: 1 }, 0, objectBytes);
    await client.send(new PutObjectCommand({ Bucket: 'closed', Key: `k${object}`, Body }));
  }
  client.destroy();
  const { credentials } = store;
  const cache = { ttl: '0s' };
  gateway = await GatewayProcess.start({
    backends: { store: { type: 's3', endpoint: store.directUrl, credentials } },
    buckets: {
      open: {
        ...{ backend: 'store', access: 'public', cache },
        anonymous: [{ actions: ['GetObject', 'GetObjectTagging'] }],
      },
      closed: { backend: 'store', access: 'verify', cache },
    },
    clients: [{ ...credentials, allow: [{ buckets: ['closed'], keys: ['**'], actions: ['GetObject'] }] }],
    memory: '64MiB',
  });
});

afterAll(async () => {
  await gateway?.stop();
  await store?.stop();
});

/** An origin of 12 KiB in which each 16 characters tell which one it is. */
function longOrigin(number: number): string {
  const word = `.o${String(number).padStart(13, '0')}x`;
  return `https://h${word.repeat(Math.ceil(originBytes / word.length))}`.slice(0, originBytes);
}

const changing = new Set([
  'access-control-allow-origin',
  'date',
  'x-amz-request-id',
  'x-amz-id-2',
  'x-ratelimit-remaining',
]);

/** What is the same in all echoes: another reader's bytes in a header would not be. */
const constants = new Set<string>();

/**
 * Asks for the tags of the open object, which is passed on, with an origin that nobody asked with before; what is wrong with
 * the answer. MinIO refuses so many bytes of headers, and echoes the origin with the refusal.
 */
async function echo(number: number): Promise<readonly string[]> {
  const origin = longOrigin(number);
  const { status, headers, text } = await rawRequest(gateway.url, {
    path: '/open/k?tagging',
    headers: { origin },
  });
  constants.add(
    JSON.stringify(
      Object.entries(headers)
        .filter(([name]) => !changing.has(name))
        .sort(),
    ),
  );
  if (status !== 400 || !text.includes('<Code>MetadataTooLarge</Code>')) return [`echo ${number}: ${status}`];
  return headers['access-control-allow-origin'] === origin ? [] : [`echo ${number}: another origin`];
}

/** Reads a private object, through blocks that are asked for anew; what is wrong with the answer. */
async function readClosed(number: number): Promise<readonly string[]> {
  const object = number % objects;
  const { status, body } = await answerFrom(gateway.url, { path: `/closed/k${object}` }, store.credentials);
  if (status !== 200 || body.length !== objectBytes)
    return [`read ${number}: ${status}, ${body.length} bytes`];
  const problem = misplaced({ object, version: 1 }, 0, body);
  return problem === undefined ? [] : [`read ${number}: ${problem}`];
}

it('MinIO echoes origins of 12 KiB while others read: no worker dies, no answer holds bytes of another', async () => {
  const wrong: string[] = [];
  let number = 0;
  const askOn = async (ask: (number: number) => Promise<readonly string[]>, isPurging: boolean) => {
    while (number < echoes) {
      if (isPurging) await gateway.purge('closed');
      wrong.push(...(await ask(number++)));
    }
  };
  await Promise.all([
    ...Array.from({ length: atOnce }, () => askOn(echo, false)),
    ...Array.from({ length: atOnce }, (_, index) => askOn(readClosed, index === 0)),
  ]);
  expect(wrong).toEqual([]);
  expect([...constants]).toHaveLength(1);
  expect((await gateway.metrics()).total('worker_restarts_total')).toBe(0);
  expect(gateway.output).not.toMatch(/ERR_|TypeError|"level":"(?:error|fatal)"/);
});
