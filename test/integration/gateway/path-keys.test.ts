import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileGrants, isAllowed } from '../../../src/s3/grants.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const grants = compileGrants([{ actions: ['*'], keys: ['**', '!private/**', '!**/*.key'] }]);
let store: StandInStore;
let gateway: TestGateway;

beforeEach(async () => {
  store = await StandInStore.start();
  gateway = await TestGateway.start({
    storeUrl: store.url,
    domain: 'store.test',
    allows: (_caller, bucket, action, key) => isAllowed(grants, { bucket, action, key }),
    buckets: {
      b: { keys: 'path' },
      tenant: { keys: 'path', keyPrefix: 'tenantA/' },
      cut: { keys: 'path', keyPrefix: '.sgw' },
      apart: { keys: 'exact' },
      hosted: { meetsAdministration: true },
      prefixed: { meetsAdministration: true, keyPrefix: 'minio/' },
    },
  });
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

/** Spellings that MinIO or versitygw read as `private/secret.txt`, `certs/server.key` or another tenant's object. */
const spellings = [
  '/private/secret.txt',
  './private/secret.txt',
  'x/../private/secret.txt',
  '%2e/private/secret.txt',
  'x/%2E%2e/private/secret.txt',
  'x%2f..%2fprivate%2fsecret.txt',
  '%2Fprivate/secret.txt',
  'certs/server.key/.',
  'certs/server.key//',
  '../tenantB/b.txt',
  '..%5Cprivate',
  'private/secret.txt%00',
  'private%0A/secret.txt',
];

describe('at a store that takes keys as paths', () => {
  it.each(spellings)('%s reaches no store, however it is asked for', async key => {
    for (const path of [`/b/${key}`, `/tenant/${key}`, `/b/${key}?tagging`, `/b/${key}?versionId=1`]) {
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
        const reply = await rawRequest(gateway.url(), { method, path });
        expect([method, path, reply.status]).toEqual([method, path, 400]);
        if (method === 'GET') expect(reply.text).toContain('<Code>InvalidArgument</Code>');
      }
    }
    const virtual = await rawRequest(gateway.url(), { path: `/${key}`, headers: { host: 'b.store.test' } });
    expect(virtual.status).toBe(400);
    expect(store.log.requests).toEqual([]);
  });

  it.each(['%C0%AE%C0%AE/private/secret.txt', '%c0%afprivate', 'a%ff', 'a%zz'])(
    '%s is no UTF-8, or no escape, and reaches no store (row 228)',
    async key => {
      const reply = await rawRequest(gateway.url(), { path: `/b/${key}` });
      expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('<Code>InvalidURI</Code>')]);
      expect(store.log.requests).toEqual([]);
    },
  );

  it('an escaped escape is a plain key: it is undone once, as stores undo it', async () => {
    store.put('b', '%2e%2e/a', 'plain');
    expect((await gateway.get('/b/%252e%252e/a')).body.toString()).toBe('plain');
  });

  it.each([
    'prefix=../',
    'prefix=a/../b',
    'list-type=2&prefix=/',
    'marker=a//b',
    'list-type=2&start-after=../x',
  ])('a listing with %s reaches no store', async query => {
    expect((await gateway.get(`/tenant?${query}`)).status).toBe(400);
    expect((await gateway.get(`/tenant?versions&key-marker=a/../x&${query}`)).status).toBe(400);
    expect(store.log.requests).toEqual([]);
  });

  it.each([
    '/b/zz?uploadId=..%2F0a1b%2F5a1b',
    '/b/zz?uploadId=..%2F..%2F..%2F..%2Fsecretb',
    '/b/zz?uploadId=..%252F..',
    '/b/zz?uploadId=a%2Fb',
    '/b/zz?uploadId=..',
    '/b/zz?uploadId=a%5Cb',
    '/b/zz?versionId=..%2F..%2Fb',
    '/b/zz?versionId=a%2Fb',
    '/b/zz?acl&versionId=..%2Fb',
    '/b?uploads&key-marker=a&upload-id-marker=..%2Fb',
    '/b?versions&key-marker=a&version-id-marker=a%2Fb',
  ])('%s reaches no store: an id is no path', async path => {
    const reply = await rawRequest(gateway.url(), { path });
    const isUpload = path.includes('uploadId=');
    expect([reply.status, reply.text]).toEqual([
      isUpload ? 404 : 400,
      expect.stringContaining(`<Code>${isUpload ? 'NoSuchUpload' : 'InvalidArgument'}</Code>`),
    ]);
    const head = await rawRequest(gateway.url(), { method: 'HEAD', path });
    expect([400, 405]).toContain(head.status);
    expect(store.log.requests).toEqual([]);
  });

  it.each([
    '/b/.sgwtmp/multipart/0a1b/5a1b/1',
    '/b?prefix=.sgwtmp/',
    '/b/.minio.sys/x',
    '/b?marker=.uploads/1',
    '/cut/tmp/multipart/0a1b/5a1b/1',
    '/cut/tmp/multipart?tagging',
    '/cut?prefix=tmp/',
    '/cut?list-type=2&start-after=tmp/x',
  ])('%s reaches no store: it is its own', async path => {
    expect((await rawRequest(gateway.url(), { path })).status).toBe(400);
    expect(store.log.requests).toEqual([]);
  });

  it('what a listing of a part names of the store’s own is not shown', async () => {
    const key = (name: string) => `<Contents><Key>${name}</Key></Contents>`;
    const listing = `<ListBucketResult><IsTruncated>false</IsTruncated>${key('.sgwtmp/multipart/a')}${key('.sgwx')}</ListBucketResult>`;
    store.faults.next({ kind: 'answer', status: 200, body: listing, headers: {} }, 1);
    const text = (await gateway.get('/cut?list-type=2')).body.toString();
    expect(text.match(/<Key>.*?<\/Key>/g)).toEqual(['<Key>x</Key>']);
  });

  it('plain keys and directory markers are read', async () => {
    store.put('b', 'folder/', 'marker');
    store.put('b', 'folder/.hidden', 'hidden');
    expect((await gateway.get('/b/folder/')).body.toString()).toBe('marker');
    expect((await gateway.get('/b/folder/.hidden')).body.toString()).toBe('hidden');
  });
});

it.each([
  ['/apart/k?uploadId=..%2Fx', 404],
  ['/apart/k?versionId=..%2F..%2Fx', 400],
  ['/apart/k?versionId=a%00', 400],
])('%s reaches no store that keeps keys apart either: no id is such a path', async (path, status) => {
  expect((await rawRequest(gateway.url(), { path })).status).toBe(status);
  expect(store.log.requests).toEqual([]);
});

it('a store that keeps keys apart is asked for each of them', async () => {
  for (const key of ['/a', 'x/../a', './a']) store.put('apart', key, key);
  for (const key of ['/a', 'x/../a', './a']) {
    expect((await rawRequest(gateway.url(), { path: `/apart/${key}` })).text).toBe(key);
  }
});

it.each(['/b?list-type=2&brand-new', '/b?replication-check', '/b?events', '/b/k?brand-new', '/b/k?metadata'])(
  '%s is no operation known here and reaches no store, whatever is granted',
  async path => {
    const reply = await gateway.get(path);
    expect([reply.status, reply.body.toString()]).toEqual([
      501,
      expect.stringContaining('<Code>NotImplemented</Code>'),
    ]);
    for (const method of ['HEAD', 'PUT', 'POST', 'DELETE'])
      expect((await rawRequest(gateway.url(), { method, path })).status).toBe(501);
    expect(store.log.requests).toEqual([]);
  },
);

it.each([
  ['/b?list-type=2&metadata=true&events=x&prefix=p', '/b?list-type=2&prefix=p&max-keys=1000'],
  ['/b/k?acl&x-amz-copy-source=%2Fb%2Fother&foo=bar', '/b/k?acl'],
])(
  '%s is asked of the store as %s, and with no field that its operation does not know',
  async (path, asked) => {
    await gateway.get(path, {
      'x-amz-tagging': 'a=b',
      'x-amz-acl': 'private',
      'x-minio-extract': 'true',
      'x-http-method-override': 'DELETE',
      'x-amz-expected-bucket-owner': '111122223333',
    });
    const [request] = store.log.requests;
    expect(request?.url).toBe(asked);
    expect(Object.keys(request?.headers ?? {}).filter(name => name.startsWith('x-'))).toEqual([
      'x-amz-expected-bucket-owner',
    ]);
  },
);

it.each([
  ['/hosted/minio/admin/v3/export-iam', 403],
  ['/hosted/minio%2Fadmin%2Fv3/info', 403],
  ['/hosted/%6dinio/kms/v1/status', 403],
  ['/prefixed/admin/v3/info', 403],
  ['/hosted/minio', 403],
  ['/hosted/minio/v2/metrics/cluster', 403],
  ['/hosted/minio/health/cluster', 403],
  ['/prefixed/v2/metrics/cluster', 403],
  ['/hosted/minion', 404],
  ['/prefixed/minio/admin/v3/info', 403],
  ['/apart/minio/admin/v3/info', 404],
])(
  'where keys begin the path, the path of an administration is no object: %s is %d',
  async (path, status) => {
    for (const method of ['GET', 'HEAD'])
      expect((await rawRequest(gateway.url(), { method, path })).status).toBe(status);
    expect((await rawRequest(gateway.url(), { path: `${path}?acl` })).status).toBe(status);
    if (status === 403) expect(store.log.requests).toEqual([]);
  },
);
