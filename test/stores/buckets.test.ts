import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { awsSigned } from './clients.ts';
import type { RealStore } from './real-store.ts';
import { realStores } from './real-stores.ts';

const client = { accessKeyId: 'maker', secretAccessKey: 'maker-secret' };

describe.each(realStores)('the life of a bucket in front of %s', (_, startStore) => {
  const work = mkdtempSync(join(tmpdir(), 'tidegate-buckets-'));
  let store: RealStore;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    store = await startStore();
    const backend = { type: 's3', endpoint: store.url, region: 'us-east-1', keys: 'path' };
    gateway = await GatewayProcess.start({
      backends: { store: { ...backend, credentials: store.credentials } },
      buckets: { '*': { backend: 'store', access: 'verify', cache: { ttl: '1h' } } },
      clients: [{ ...client, allow: [{ buckets: ['*'], keys: ['**'], actions: ['*'] }] }],
      memory: '64MiB',
      workers: 2,
    });
  });

  afterAll(async () => {
    await gateway?.stop();
    await store?.stop();
    rmSync(work, { recursive: true, force: true });
  });

  const aws = (...args: string[]) => awsSigned(gateway.url, client, args);

  it('aws makes it, fills it, configures it, empties it and removes it', async () => {
    await aws('s3', 'mb', 's3://made-here');
    expect(await aws('s3', 'ls')).toMatch(/20\d\d-.* made-here/);
    mkdirSync(join(work, 'files', 'below'), { recursive: true });
    for (const name of ['a', 'b c', 'below/d']) writeFileSync(join(work, 'files', name), name);
    await aws('s3', 'sync', '--only-show-errors', join(work, 'files'), 's3://made-here/f');
    expect(await aws('s3', 'cp', 's3://made-here/f/a', '-')).toBe('a');

    const tags = 'TagSet=[{Key=k,Value=v}]';
    await aws('s3api', 'put-bucket-tagging', '--bucket', 'made-here', '--tagging', tags);
    expect(await aws('s3api', 'get-bucket-tagging', '--bucket', 'made-here')).toContain('"v"');
    const ofObject = ['--bucket', 'made-here', '--key', 'f/a'];
    await aws('s3api', 'put-object-tagging', ...ofObject, '--tagging', tags);
    expect(await aws('s3api', 'get-object-tagging', ...ofObject)).toContain('"v"');
    const enabled = ['--versioning-configuration', 'Status=Enabled'];
    await aws('s3api', 'put-bucket-versioning', '--bucket', 'made-here', ...enabled);
    expect(await aws('s3api', 'get-bucket-versioning', '--bucket', 'made-here')).toContain('Enabled');
    await aws(
      's3api',
      'put-bucket-versioning',
      '--bucket',
      'made-here',
      '--versioning-configuration',
      'Status=Suspended',
    );

    await expect(aws('s3', 'rb', 's3://made-here')).rejects.toThrow(/BucketNotEmpty/);
    await aws('s3', 'mb', 's3://made-there');
    await aws('s3', 'sync', '--only-show-errors', join(work, 'files'), 's3://made-there/f');
    await aws('s3', 'rm', '--only-show-errors', '--recursive', 's3://made-there/f');
    expect((await aws('s3', 'ls', '--recursive', 's3://made-there/')).trim()).toBe('');
    await aws('s3', 'rb', 's3://made-there');
    await expect(aws('s3api', 'head-bucket', '--bucket', 'made-there')).rejects.toThrow(/404/);
    expect(await aws('s3', 'ls')).not.toContain('made-there');
  });
});
