import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { rawRequest } from '../support/raw-request.ts';
import { freePort, RealProcess } from '../support/real-process.ts';
import { StandInStore } from '../support/stand-in-store.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;
const point = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/ap';
let directory: string;
let store: StandInStore;
let gateway: RealProcess;
let origin: string;
let admin: string;

/** Everybody may read every bucket but two: one has another name at its store, one is at another address of the store. */
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-bucket-names-'));
  store = await StandInStore.start();
  for (const bucket of ['secretb', 'SECRETB', 'photos-production', 'logs-production', 'open', 'o'])
    store.put(bucket, 'k', `of ${bucket}`);
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = join(directory, 'gateway.yaml');
  writeFileSync(
    file,
    `listen: { port: ${port} }
admin: { port: ${adminPort} }
domain: gateway.test
backends:
  main: { type: s3, endpoint: "${store.url}" }
  again: { type: s3, endpoint: "${store.url}", headerPrefix: x-store- }
buckets:
  secretb: { backend: main, access: verify }
  photos: { backend: main, bucket: photos-production, access: verify }
  logs: { backend: again, bucket: logs-production, access: verify }
  "*": { backend: main, access: public }`,
  );
  gateway = new RealProcess(process.execPath, [main, '-c', file], { cwd: directory });
  origin = `http://127.0.0.1:${port}`;
  admin = `http://127.0.0.1:${adminPort}`;
  await gateway.answers(`${admin}/readyz`);
}, 60_000);

afterAll(async () => {
  await gateway.stop();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

beforeEach(() => store.log.clear());

it.each([
  ['the name itself', '/secretb/k', 403, 'AccessDenied'],
  ['capitals', '/SECRETB/k', 400, 'InvalidBucketName'],
  ['one capital', '/secretB/k', 400, 'InvalidBucketName'],
  ['a capital that is escaped', '/%53ecretb/k', 400, 'InvalidBucketName'],
  ['a letter that is escaped', '/%73ecretb/k', 403, 'AccessDenied'],
  ['a dot at the end', '/secretb./k', 400, 'InvalidBucketName'],
  ['an escaped slash', '/secretb%2Fk', 400, 'InvalidBucketName'],
  ['an empty name before it', '//secretb/k', 400, 'InvalidBucketName'],
  ['a part of the path before it', '/./secretb/k', 400, 'InvalidBucketName'],
  ['its name at the store', '/photos-production/k', 404, 'NoSuchBucket'],
  ['its name at the store under another address', '/logs-production/k', 404, 'NoSuchBucket'],
  ['an access point, whose bucket nobody knows', `/${encodeURIComponent(point)}/k`, 404, 'NoSuchBucket'],
  [
    'the alias of an access point',
    '/ap-hrzrlukc5m36ft7okagglf3gmwluquse1b-s3alias/k',
    400,
    'InvalidBucketName',
  ],
  ['a name that is too short', '/o/k', 400, 'InvalidBucketName'],
  ['the path where MinIO is administered', '/minio/admin/v3/export-iam', 404, 'NoSuchBucket'],
  ['the path where Ceph is administered', '/admin/metadata/user', 404, 'NoSuchBucket'],
])('"*" gives nobody a configured bucket by %s: %s', async (_spelling, path, status, code) => {
  const answer = await rawRequest(origin, { path });
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(`<Code>${code}</Code>`);
  expect(store.log.requests).toEqual([]);
});

it.each([
  ['secretb.gateway.test', 403, 'AccessDenied'],
  ['SECRETB.Gateway.Test.', 403, 'AccessDenied'],
  ['secretb..gateway.test', 400, 'InvalidBucketName'],
  ['photos-production.gateway.test', 404, 'NoSuchBucket'],
  ['minio.gateway.test', 404, 'NoSuchBucket'],
  ['ap-123456789012.s3-accesspoint.eu-west-1.amazonaws.com', 404, 'NoSuchBucket'],
])('nor by the host %s', async (host, status, code) => {
  const answer = await rawRequest(origin, { path: '/k', headers: { host } });
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(`<Code>${code}</Code>`);
  expect(store.log.requests).toEqual([]);
});

it('"*" is every other bucket', async () => {
  expect(await rawRequest(origin, { path: '/open/k' })).toMatchObject({ status: 200, text: 'of open' });
});

it.each(['photos-production', 'SECRETB', '*', '__proto__', point])(
  'nor do operators meet it under another name: %s',
  async bucket => {
    const purge = await fetch(`${admin}/api/purge`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ bucket }),
    });
    expect(purge.status).toBe(404);
    const explained = await fetch(`${admin}/api/object?bucket=${encodeURIComponent(bucket)}&key=k`);
    expect(explained.status).toBe(404);
  },
);
