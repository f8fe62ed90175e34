import { CreateBucketCommand, CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { rawRequest } from '../support/raw-request.ts';
import { sdkOf } from './answered-objects.ts';
import { answerFrom } from './answers.ts';
import { Minio } from './minio.ts';

const shown = ['a/1', 'a/2', 'public.txt', 'z/1'];
const hidden = ['a/.private/1', 'private/1', 'private/2', 'private/3'];
const pending = ['a/pending', 'private/pending', 'z/pending'];
let store: Minio;
let gateway: GatewayProcess;

beforeAll(async () => {
  store = await Minio.start();
  const client = sdkOf(store);
  await client.send(new CreateBucketCommand({ Bucket: 'files' }));
  for (const Key of [...shown, ...hidden])
    await client.send(
      new PutObjectCommand({ Bucket: 'files', Key, Body: Key, Metadata: { colour: 'blue' } }),
    );
  for (const Key of pending) await client.send(new CreateMultipartUploadCommand({ Bucket: 'files', Key }));
  client.destroy();
  const everybody = [{ actions: ['*'], keys: ['**', '!private/**', '!a/.private/**'] }];
  gateway = await GatewayProcess.start({
    backends: {
      store: { type: 's3', endpoint: store.url, credentials: store.credentials, keys: 'path' },
    },
    buckets: {
      files: { backend: 'store', access: 'public', anonymous: everybody },
      '*': { backend: 'store', access: 'public', anonymous: everybody },
    },
    memory: '64MiB',
  });
});

afterAll(async () => {
  await gateway?.stop();
  await store?.stop();
});

/** What the store is asked for while a client asks for `path`. */
async function askedFor(path: string, method = 'GET') {
  const before = store.requests().length;
  const reply = await rawRequest(gateway.url, { method, path });
  return { reply, asked: store.requests().slice(before) };
}

describe('parameters that only MinIO knows', () => {
  it('it answers more to them, asked itself', async () => {
    const listing = { path: '/files?list-type=2&metadata=true' };
    expect((await answerFrom(store.directUrl, listing, store.credentials)).text).toContain('UserMetadata');
  });

  it.each(['replication-check', 'replication-metrics', 'replication-reset-status', 'events', 'metadata'])(
    'what may be an operation is not passed: ?%s',
    async parameter => {
      for (const query of [parameter, `${parameter}=`, `list-type=2&${parameter}`, `versions&${parameter}`]) {
        const { reply, asked } = await askedFor(`/files?${query}`);
        expect([query, reply.status, asked]).toEqual([query, 501, []]);
      }
    },
  );

  it.each([
    'list-type=2&metadata=true',
    'versions&metadata=true',
    'metadata=true',
    'events=s3:ObjectCreated:*',
    'list-type=2&events=s3%3AObjectCreated%3A*&replication-check=1',
    'replication-metrics=2',
  ])('with a value they are left out: ?%s', async query => {
    const { reply, asked } = await askedFor(`/files?${query}`);
    expect(reply.status).toBe(200);
    expect(reply.text).not.toMatch(/UserMetadata|colour/);
    expect(asked.length).toBeGreaterThan(0);
    for (const request of asked) expect(request.query).not.toMatch(/metadata|events|replication/);
  });

  it('an object is read without the function that a client names', async () => {
    const { reply, asked } = await askedFor(
      '/files/public.txt?lambdaArn=arn:minio:s3-object-lambda::f:webhook',
    );
    expect([reply.status, reply.text]).toEqual([200, 'public.txt']);
    for (const { query } of asked) expect(query).not.toContain('lambda');
  });
});

describe('the administration of the store', () => {
  it.each(['/minio/admin/v3/info', '/minio/admin/v3/export-iam'])(
    '%s opens to the credentials of the gateway, and not to its clients',
    async path => {
      expect((await answerFrom(store.directUrl, { path }, store.credentials)).status).toBe(200);
      for (const method of ['GET', 'HEAD']) {
        const { reply, asked } = await askedFor(path, method);
        expect([reply.status, asked]).toEqual([404, []]);
      }
    },
  );
});

/** All pages of a listing, each asked for with the marker of the page before. */
async function pagesOf(query: string, marker: string, nextMarker: string): Promise<readonly string[]> {
  const pages: string[] = [];
  for (let next: string | undefined = ''; next !== undefined && pages.length < 50; ) {
    const more: string = next === '' ? '' : `&${marker}=${encodeURIComponent(next)}`;
    const { status, text } = await rawRequest(gateway.url, { path: `/files?${query}${more}` });
    expect([query, status]).toEqual([query, 200]);
    pages.push(text);
    const isTruncated = text.includes('<IsTruncated>true</IsTruncated>');
    next = isTruncated ? new RegExp(`<${nextMarker}>([^<]+)<`).exec(text)?.[1] : undefined;
  }
  return pages;
}

describe('listings for somebody who may not see all', () => {
  it.each([
    ['list-type=2&max-keys=1', 'continuation-token', 'NextContinuationToken'],
    ['list-type=2&max-keys=3', 'continuation-token', 'NextContinuationToken'],
    ['list-type=2', 'continuation-token', 'NextContinuationToken'],
    ['versions&max-keys=1', 'key-marker', 'NextKeyMarker'],
  ])('?%s names in all pages just what may be seen, once', async (query, marker, nextMarker) => {
    const pages = (await pagesOf(query, marker, nextMarker)).join('');
    expect([...pages.matchAll(/<Key>([^<]+)</g)].map(([, key]) => key)).toEqual(shown);
    expect(pages).not.toContain('private');
  });

  it.each(['max-keys=1', 'max-keys=1&delimiter=/', 'max-keys=2&delimiter=/&list-type=2'])(
    '?%s tells nothing in its marker',
    async query => {
      const { status, text } = await rawRequest(gateway.url, { path: `/files?${query}` });
      expect(status).toBe(200);
      expect(text).not.toContain('private');
    },
  );

  it.each(['uploads', 'uploads&max-uploads=1', 'uploads&prefix=a/pending', 'uploads&prefix=z/'])(
    '?%s names no upload of a hidden key',
    async query => {
      const pages = (await pagesOf(query, 'key-marker', 'NextKeyMarker')).join('');
      expect([...pages.matchAll(/<Key>([^<]+)</g)].filter(([, key]) => key?.includes('private'))).toEqual([]);
      if (query.endsWith('=a/pending')) expect(pages).toContain('<Key>a/pending</Key>');
    },
  );

  it('uploads of a hidden key are not listed by its name', async () => {
    const { reply, asked } = await askedFor('/files?uploads&prefix=private/pending');
    expect([reply.status, asked]).toEqual([403, []]);
  });
});
