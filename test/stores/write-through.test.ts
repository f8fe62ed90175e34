import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { run } from '../support/real-process.ts';
import { awsSigned } from './clients.ts';
import { Versitygw } from './versitygw.ts';

const mebibyte = 1024 * 1024;
const bucket = 'written';
const client = { accessKeyId: 'writer', secretAccessKey: 'writer-secret' };
const work = mkdtempSync(join(tmpdir(), 'tidegate-written-'));
let store: Versitygw;
let gateway: GatewayProcess;

beforeAll(async () => {
  store = await Versitygw.start();
  await awsSigned(store.url, store.credentials, ['s3', 'mb', `s3://${bucket}`]);
  gateway = await GatewayProcess.start({
    backends: {
      store: {
        type: 's3',
        endpoint: store.url,
        region: 'us-east-1',
        credentials: store.credentials,
        keys: 'path',
      },
    },
    buckets: { [bucket]: { backend: 'store', access: 'verify', cache: { ttl: '1h' } } },
    clients: [{ ...client, allow: [{ buckets: [bucket], keys: ['**'], actions: ['*'] }] }],
    memory: '128MiB',
    workers: 2,
  });
});

afterAll(async () => {
  await gateway?.stop();
  await store?.stop();
  rmSync(work, { recursive: true, force: true });
});

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
const aws = (...args: string[]) => awsSigned(gateway.url, client, args);

it.each([0, 1, 5 * mebibyte])(
  'aws s3 cp of %d bytes up, and down again from gateway and store',
  async sizeBytes => {
    const [up, down] = [join(work, `up-${sizeBytes}`), join(work, `down-${sizeBytes}`)];
    writeFileSync(up, randomBytes(sizeBytes));
    const address = `s3://${bucket}/folder/${sizeBytes}`;
    await aws('s3', 'cp', '--only-show-errors', up, address);
    await aws('s3', 'cp', '--only-show-errors', address, down);
    expect(hashOf(down)).toBe(hashOf(up));
    await awsSigned(store.url, store.credentials, ['s3', 'cp', '--only-show-errors', address, down]);
    expect(hashOf(down)).toBe(hashOf(up));
  },
);

it('aws s3api put-object of 200 MiB, which the gateway holds no large part of at any time', async () => {
  const up = join(work, 'large');
  writeFileSync(up, randomBytes(200 * mebibyte));
  await aws('s3api', 'put-object', '--bucket', bucket, '--key', 'large', '--body', up);
  await awsSigned(store.url, store.credentials, [
    's3',
    'cp',
    '--only-show-errors',
    `s3://${bucket}/large`,
    join(work, 'l'),
  ]);
  expect(hashOf(join(work, 'l'))).toBe(hashOf(up));
  // the arena is 128 MiB, of which nothing was read
  const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
  expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(450 * 1024);
});

it('aws s3 cp over what is there, and aws s3 rm, are seen at once', async () => {
  const [up, down] = [join(work, 'again'), join(work, 'again-down')];
  const address = `s3://${bucket}/again`;
  for (const text of ['one', 'two', 'three']) {
    writeFileSync(up, text);
    await aws('s3', 'cp', '--only-show-errors', up, address);
    await aws('s3', 'cp', '--only-show-errors', address, down);
    expect(readFileSync(down, 'utf8')).toBe(text);
  }
  await aws('s3', 'rm', '--only-show-errors', address);
  await expect(aws('s3', 'cp', '--only-show-errors', address, down)).rejects.toThrow(/404/);
});

it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
  'the AWS SDK for JavaScript sends a stream with %s in its trailer, and the store keeps that',
  async ChecksumAlgorithm => {
    const body = randomBytes(3 * mebibyte + 5);
    const sdk = (endpoint: string, credentials: typeof client) =>
      new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 });
    const Key = `trailer/${ChecksumAlgorithm}`;
    const Body = Readable.from([body.subarray(0, 77), body.subarray(77)], { objectMode: false });
    const asked = { Bucket: bucket, Key };
    await sdk(gateway.url, client).send(
      new PutObjectCommand({ ...asked, Body, ContentLength: body.length, ChecksumAlgorithm }),
    );
    const kept = await sdk(store.url, store.credentials).send(
      new GetObjectCommand({ ...asked, ChecksumMode: 'ENABLED' }),
    );
    expect(Buffer.from((await kept.Body?.transformToByteArray()) ?? []).equals(body)).toBe(true);
    expect(kept[`Checksum${ChecksumAlgorithm}`]).toBeDefined();
    expect(kept.ContentEncoding).toBeUndefined();
  },
);

it('botocore puts bodies with every kind of checksum and signature', async () => {
  const script = join(import.meta.dirname, 'write-bodies.py');
  const said = await run('python3', [script, gateway.url, bucket], {
    ownEnvironment: true,
    environment: {
      ...{ AWS_ACCESS_KEY_ID: client.accessKeyId, AWS_SECRET_ACCESS_KEY: client.secretAccessKey },
      ...{ AWS_DEFAULT_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
    },
  });
  const lines = said.trim().split('\n');
  expect(lines.at(-1)).toBe('delete NoSuchKey');
  expect(lines.slice(0, -1).filter(line => !line.endsWith(' same -'))).toEqual([]);
  expect(lines).toHaveLength(10);
});

it('botocore deletes objects, and posts forms that it has presigned', async () => {
  const script = join(import.meta.dirname, 'delete-and-post.py');
  const said = await run('python3', [script, gateway.url, bucket], {
    ownEnvironment: true,
    environment: {
      ...{ AWS_ACCESS_KEY_ID: client.accessKeyId, AWS_SECRET_ACCESS_KEY: client.secretAccessKey },
      ...{ AWS_DEFAULT_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
    },
  });
  expect(said.trim().split('\n')).toEqual([
    ...['deleted 4 left 2', 'quiet None left 0'],
    ...['posted 204 same', 'posted 204 same', 'too large 400'],
  ]);
});
