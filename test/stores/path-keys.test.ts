import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load-config.ts';
import { connectToStores } from '../../src/wiring/connection-check.ts';
import { GatewayProcess } from '../support/gateway-process.ts';
import { rawRequest } from '../support/raw-request.ts';
import { awsSigned } from './clients.ts';
import type { RealStore } from './real-store.ts';
import { realStores } from './real-stores.ts';

const secret = 'the private object';
const anonymous = [{ actions: ['*'], keys: ['**', '!private/**', '!**.key'] }];

/** Spellings that some of these stores read as an object that is not granted. */
const spellings = [
  '/files//private/secret.txt',
  '/files/./private/secret.txt',
  '/files/%2e/private/secret.txt',
  '/files/x/../private/secret.txt',
  '/files/x%2F..%2Fprivate%2Fsecret.txt',
  '/files/private//secret.txt',
  '/files/certs/server.key/.',
  '/tenant/../tenantB/b.txt',
  '/tenant/%2E%2E/tenantB/b.txt',
  '/tenant//../tenantB/b.txt',
];

/** What each of them reads as `private/secret.txt`. */
const aliases: Readonly<Record<string, string>> = {
  versitygw: './private/secret.txt',
  MinIO: '/private/secret.txt',
};

describe.each(realStores)('%s, which takes keys for paths', (name, start) => {
  const work = mkdtempSync(join(tmpdir(), 'tidegate-path-keys-'));
  let store: RealStore;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    store = await start();
    await awsSigned(store.directUrl, store.credentials, ['s3', 'mb', 's3://files']);
    const file = join(work, 'secret.txt');
    writeFileSync(file, secret);
    for (const key of [
      'private/secret.txt',
      'certs/server.key',
      'tenantB/b.txt',
      'tenantA/a.txt',
      'public/a.txt',
    ])
      await awsSigned(store.directUrl, store.credentials, ['s3', 'cp', file, `s3://files/${key}`]);
    gateway = await GatewayProcess.start({
      backends: { store: { type: 's3', endpoint: store.url, credentials: store.credentials, keys: 'path' } },
      buckets: {
        files: { backend: 'store', access: 'public', anonymous },
        tenant: { backend: 'store', bucket: 'files', keyPrefix: 'tenantA/', access: 'public', anonymous },
      },
      memory: '64MiB',
    });
  });

  afterAll(async () => {
    await gateway?.stop();
    await store?.stop();
    rmSync(work, { recursive: true, force: true });
  });

  it.each(spellings)('%s is refused, and the object is not reached', async path => {
    const before = store.requests().length;
    for (const method of ['GET', 'HEAD']) {
      const reply = await rawRequest(gateway.url, { method, path });
      expect([reply.status, reply.text]).toEqual([400, expect.not.stringContaining(secret)]);
    }
    expect(store.requests()).toHaveLength(before);
  });

  it('reads another spelling of a key, asked itself', async () => {
    const args = [
      's3api',
      'get-object',
      '--bucket',
      'files',
      '--key',
      aliases[name] ?? '',
      join(work, 'read'),
    ];
    await awsSigned(store.directUrl, store.credentials, args);
  });

  it('is read through the gateway under plain keys', async () => {
    expect((await rawRequest(gateway.url, { path: '/files/public/a.txt' })).text).toBe(secret);
    expect((await rawRequest(gateway.url, { path: '/tenant/a.txt' })).text).toBe(secret);
    expect((await rawRequest(gateway.url, { path: '/files/private/secret.txt' })).status).toBe(403);
  });

  it.each(['list-type=2&max-keys=1', 'max-keys=1', 'list-type=2', 'delimiter=/&max-keys=1'])(
    'lists with %s no name that is not granted',
    async query => {
      const { status, text } = await rawRequest(gateway.url, { path: `/files?${query}` });
      expect(status).toBe(200);
      expect(text).not.toMatch(/private|server/);
      const tenant = await rawRequest(gateway.url, { path: `/tenant?${query}` });
      expect(tenant.text).toContain('<Key>a.txt</Key>');
      expect(tenant.text).not.toContain('tenantB');
    },
  );

  it('is path, as the check finds out', async () => {
    const { accessKeyId, secretAccessKey } = store.credentials;
    const config = parseConfig(
      `backends: { store: { type: s3, endpoint: "${store.url}", credentials: { accessKeyId: ${accessKeyId}, secretAccessKey: ${secretAccessKey} } } }
buckets: { files: { backend: store, access: verify } }`,
      {},
    );
    const found = (await connectToStores(config)).backends.get('store') ?? [];
    expect(found.map(({ kind }) => kind)).toContain('path');
  });
});
