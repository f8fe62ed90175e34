import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { run } from '../support/real-process.ts';
import { awsSigned } from './clients.ts';
import { Versitygw } from './versitygw.ts';

const yesterday = new Date(Date.now() - 86_400_000);
const mebibyte = 1024 * 1024;
const client = { accessKeyId: 'writer', secretAccessKey: 'writer-secret' };
const behind = 'kept-elsewhere';
const buckets = ['plain', 'renamed'] as const;
const work = mkdtempSync(join(tmpdir(), 'tidegate-uploaded-'));
let store: Versitygw;
let gateway: GatewayProcess;

beforeAll(async () => {
  store = await Versitygw.start();
  for (const bucket of ['plain', behind])
    await awsSigned(store.url, store.credentials, ['s3', 'mb', `s3://${bucket}`]);
  const at = { backend: 'store', access: 'verify', cache: { ttl: '1h' } };
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
    buckets: { plain: at, renamed: { ...at, bucket: behind, keyPrefix: 'tenant/' } },
    clients: [{ ...client, allow: [{ buckets: [...buckets], keys: ['**'], actions: ['*'] }] }],
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
const atStore = (bucket: string, key: string) =>
  bucket === 'renamed' ? `s3://${behind}/tenant/${key}` : `s3://${bucket}/${key}`;

/** The hash of an object as the gateway gives it, which is that of the store. */
async function hashOfObject(bucket: string, key: string): Promise<string> {
  const down = join(work, 'down');
  await awsSigned(store.url, store.credentials, [
    's3',
    'cp',
    '--only-show-errors',
    atStore(bucket, key),
    down,
  ]);
  const expected = hashOf(down);
  await aws('s3', 'cp', '--only-show-errors', `s3://${bucket}/${key}`, down);
  expect(hashOf(down)).toBe(expected);
  return expected;
}

describe.each(buckets)('the AWS command line in the bucket %s', bucket => {
  it('cp of a large file up, over what is there, onward and back with mv', async () => {
    const up = join(work, `large-${bucket}`);
    const [key, other] = ['folder/large file+ü.bin', 'moved/large.bin'];
    for (const sizeBytes of [70 * mebibyte + 1, 20 * mebibyte]) {
      writeFileSync(up, randomBytes(sizeBytes));
      await aws('s3', 'cp', '--only-show-errors', up, `s3://${bucket}/${key}`);
      expect(await hashOfObject(bucket, key)).toBe(hashOf(up));
      await aws('s3', 'cp', '--only-show-errors', `s3://${bucket}/${key}`, `s3://${bucket}/copy`);
      expect(await hashOfObject(bucket, 'copy')).toBe(hashOf(up));
      await aws('s3', 'mv', '--only-show-errors', `s3://${bucket}/copy`, `s3://${bucket}/${other}`);
      expect(await hashOfObject(bucket, other)).toBe(hashOf(up));
      await expect(aws('s3', 'ls', `s3://${bucket}/copy`)).rejects.toThrow();
    }
    const listed = await aws('s3', 'ls', '--recursive', `s3://${bucket}/`);
    expect(
      listed
        .trim()
        .split('\n')
        .map(line => line.slice(31)),
    ).toEqual([key, other]);
  });

  it('sync of a folder up, from bucket to bucket, and down', async () => {
    const folder = join(work, `tree-${bucket}`);
    mkdirSync(join(folder, 'sub'), { recursive: true });
    for (const [name, sizeBytes] of Object.entries({
      'a.txt': 5,
      'sub/b b.bin': 9 * mebibyte,
      'sub/empty': 0,
    }))
      writeFileSync(join(folder, name), randomBytes(sizeBytes));
    // stores tell whole seconds: what is written in the second of its upload would be sent again
    for (const name of ['a.txt', 'sub/b b.bin', 'sub/empty'])
      utimesSync(join(folder, name), yesterday, yesterday);
    await aws('s3', 'sync', '--only-show-errors', folder, `s3://${bucket}/tree`);
    await aws('s3', 'sync', '--only-show-errors', `s3://${bucket}/tree`, `s3://plain/tree of ${bucket}`);
    const back = join(work, `back-${bucket}`);
    await aws('s3', 'sync', '--only-show-errors', `s3://plain/tree of ${bucket}`, back);
    for (const name of ['a.txt', 'sub/b b.bin', 'sub/empty'])
      expect(hashOf(join(back, name))).toBe(hashOf(join(folder, name)));
    expect(await aws('s3', 'sync', folder, `s3://${bucket}/tree`)).toBe('');
  });

  it('boto3 uploads in parallel parts, copies, lists and gives up uploads', async () => {
    const said = await run('python3', [join(import.meta.dirname, 'upload-parts.py'), gateway.url, bucket], {
      ownEnvironment: true,
      environment: {
        ...{ AWS_ACCESS_KEY_ID: client.accessKeyId, AWS_SECRET_ACCESS_KEY: client.secretAccessKey },
        ...{ AWS_DEFAULT_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
      },
    });
    const lines = said.trim().split('\n');
    expect(lines.slice(0, -2).filter(line => !line.endsWith(' same'))).toEqual([]);
    expect(lines.slice(-2)).toEqual(["listed ['boto3/left'] 1", 'listed 0']);
    expect(lines).toHaveLength(8);
    expect(await hashOfObject(bucket, 'boto3/parts')).toBe(await hashOfObject(bucket, 'boto3/up'));
  });
});

it('the answer to a completed upload tells the address at the gateway alone', async () => {
  const asked = ['--bucket', 'renamed', '--key', 'told'];
  const { UploadId } = JSON.parse(await aws('s3api', 'create-multipart-upload', ...asked));
  const part = join(work, 'part');
  writeFileSync(part, 'x');
  const upload = [...asked, '--upload-id', UploadId];
  const { ETag } = JSON.parse(
    await aws('s3api', 'upload-part', ...upload, '--part-number', '1', '--body', part),
  );
  const parts = JSON.stringify({ Parts: [{ PartNumber: 1, ETag }] });
  const said = await aws('s3api', 'complete-multipart-upload', ...upload, '--multipart-upload', parts);
  expect(JSON.parse(said)).toMatchObject({
    ...{ Bucket: 'renamed', Key: 'told', Location: `${gateway.url}/renamed/told` },
  });
  expect(said).not.toMatch(/elsewhere|tenant/);
});
