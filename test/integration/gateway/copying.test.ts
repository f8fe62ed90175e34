import { createHash } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GrantRule } from '../../../src/s3/grants.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { presignedQuestion } from '../../support/conformance/question.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RawStore } from '../../support/raw-store.ts';
import { copyOf, patternContent } from '../../support/stand-in/content.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;

describe.each([
  { client: 'x-amz-', store: 'x-amz-' },
  { client: 'x-amz-', store: 'x-store-' },
] as const)('copies through the gateway in front of a store that speaks $store', dialects => {
  let lab: Lab;

  beforeAll(async () => {
    const renamed = { bucketAtStore: 'box', keyPrefix: 'tenant a/' };
    lab = await Lab.start({ dialects, buckets: { box: {}, renamed } });
    await lab.store.put('/box');
  });
  afterAll(() => lab.stop());

  const put = (Bucket: string, Key: string, Body: string | Buffer, more = {}) =>
    lab.sdk().send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
  const textOf = async (path: string) => (await lab.ask({ path })).text;

  it('an object is copied between buckets of other names, with its metadata and tags', async () => {
    await put('renamed', 'a b/ü+?.txt', 'copied', { Metadata: { colour: 'red' }, Tagging: 'a=1' });
    const CopySource = `renamed/${encodeURIComponent('a b/ü+?.txt')}`;
    const copied = await lab.sdk().send(new CopyObjectCommand({ Bucket: 'box', Key: 'copy', CopySource }));
    expect(copied.CopyObjectResult?.ETag).toBeDefined();
    expect(await textOf('/box/copy')).toBe('copied');
    const head = await lab.sdk().send(new HeadObjectCommand({ Bucket: 'box', Key: 'copy' }));
    expect(head).toMatchObject({ Metadata: { colour: 'red' }, TagCount: 1 });
  });

  it('what was there before is not read any more once a copy was answered', async () => {
    await put('renamed', 'old', 'old');
    await put('box', 'new', 'new!');
    expect(await textOf('/renamed/old')).toBe('old');
    await lab.sdk().send(new CopyObjectCommand({ Bucket: 'renamed', Key: 'old', CopySource: 'box/new' }));
    expect(await textOf('/renamed/old')).toBe('new!');
  });

  it('a copy onto itself changes the metadata', async () => {
    await put('renamed', 'self', 'self', { Tagging: 'a=1' });
    const replace = { MetadataDirective: 'REPLACE', Metadata: { colour: 'blue' } } as const;
    await lab
      .sdk()
      .send(
        new CopyObjectCommand({ Bucket: 'renamed', Key: 'self', CopySource: 'renamed/self', ...replace }),
      );
    const head = await lab.sdk().send(new HeadObjectCommand({ Bucket: 'renamed', Key: 'self' }));
    expect(head).toMatchObject({ Metadata: { colour: 'blue' }, TagCount: 1 });
  });

  it('parts are copied by range', async () => {
    const content = copyOf(patternContent(6 * mebibyte));
    await put('renamed', 'large', content);
    const asked = { Bucket: 'renamed', Key: 'joined' };
    const { UploadId } = await lab.sdk().send(new CreateMultipartUploadCommand(asked));
    const ranges = [`bytes=0-${5 * mebibyte - 1}`, `bytes=${5 * mebibyte}-${6 * mebibyte - 1}`];
    const Parts = [];
    for (const [index, CopySourceRange] of ranges.entries()) {
      const part = {
        ...asked,
        UploadId,
        PartNumber: index + 1,
        CopySource: 'renamed/large',
        CopySourceRange,
      };
      const { CopyPartResult } = await lab.sdk().send(new UploadPartCopyCommand(part));
      Parts.push({ PartNumber: index + 1, ETag: CopyPartResult?.ETag });
    }
    await lab
      .sdk()
      .send(new CompleteMultipartUploadCommand({ ...asked, UploadId, MultipartUpload: { Parts } }));
    expect((await lab.ask({ path: '/renamed/joined' })).body.equals(content)).toBe(true);
  });

  it('an old version is copied, whole and as a part', async () => {
    await lab.store.put(
      '/box?versioning',
      '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
    );
    const { VersionId } = await lab
      .sdk()
      .send(new PutObjectCommand({ Bucket: 'renamed', Key: 'v', Body: 'old' }));
    await put('renamed', 'v', Buffer.from('new'));
    const CopySource = `renamed/v?versionId=${VersionId}`;
    const whole = { Bucket: 'renamed', Key: 'whole' };
    const copied = await lab.sdk().send(new CopyObjectCommand({ ...whole, CopySource }));
    expect(copied.CopySourceVersionId).toBe(VersionId);
    const joined = { Bucket: 'renamed', Key: 'of-parts' };
    const { UploadId } = await lab.sdk().send(new CreateMultipartUploadCommand(joined));
    const part = { ...joined, UploadId, PartNumber: 1 };
    const { CopyPartResult, CopySourceVersionId } = await lab
      .sdk()
      .send(new UploadPartCopyCommand({ ...part, CopySource }));
    expect(CopySourceVersionId).toBe(VersionId);
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: CopyPartResult?.ETag }] };
    await lab.sdk().send(new CompleteMultipartUploadCommand({ ...joined, UploadId, MultipartUpload }));
    for (const { Key } of [whole, joined])
      expect((await lab.ask({ path: `/renamed/${Key}` })).body.toString()).toBe('old');
  });

  it('conditions on the source are the store’s to judge', async () => {
    await put('box', 'conditional', 'x');
    const copy = (CopySourceIfMatch: string) =>
      lab.sdk().send(
        new CopyObjectCommand({
          Bucket: 'box',
          Key: 'c',
          CopySource: 'box/conditional',
          CopySourceIfMatch,
        }),
      );
    await expect(copy('"other"')).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await expect(
      lab.sdk().send(new CopyObjectCommand({ Bucket: 'box', Key: 'c', CopySource: 'box/none' })),
    ).rejects.toMatchObject({ name: 'NoSuchKey' });
  });
});

describe('what a copy is allowed to read', () => {
  let lab: Lab;
  const start = async (source: readonly GrantRule[]) => {
    lab = await Lab.start({
      buckets: {
        from: { bucketAtStore: 'behind', keyPrefix: 'hidden/' },
        target: {},
        paths: { bucketAtStore: 'behind', keys: 'path' },
      },
      anonymous: { from: source, paths: source, target: [{ actions: ['PutObject'], keys: ['**'] }] },
    });
    for (const path of ['/behind', '/target']) await lab.store.put(path);
    for (const key of ['open', 'secret', 'pub/k', 'a+b', 'a b'])
      await lab.store.put(`/behind/hidden/${key.replace('+', '%2B').replace(' ', '%20')}`, key);
    await lab.store.put('/behind/outside', 'outside');
  };
  afterEach(() => lab.stop());
  const copy = (source: string, fields = {}, path = '/target/k') =>
    lab.ask({ path, method: 'PUT', as: 'anonymous', fields: { 'copy-source': source, ...fields } });
  const copied = async () => (await lab.askStore({ path: '/target/k' })).text;

  const some: readonly GrantRule[] = [{ actions: ['GetObject'], keys: ['open', 'pub/**', 'a*'] }];

  it.each([
    ['from/open', 'open'],
    ['/from/open', 'open'],
    ['from%2Fpub%2Fk', 'pub/k'],
    ['from/a+b', 'a b'],
    ['from/a%2Bb', 'a+b'],
  ])('what it may read is copied: %s', async (source, content) => {
    await start(some);
    expect((await copy(source)).status).toBe(200);
    expect(await copied()).toBe(content);
  });

  it.each([
    ['from/secret', 403],
    ['/from/secret', 403],
    ['from/s%65cret', 403],
    ['from%2Fsecret', 403],
    ['%66rom/secret', 403],
    ['from/pub/../secret', 403],
    ['from/pub/%2E%2E/secret', 403],
    ['from/pub%2F..%2Fsecret', 403],
    ['from//secret', 403],
    ['from/../outside', 403],
    ['from/secret%252F', 403],
    ['from/%2573ecret', 403],
    ['from/open?versionId=null', 403],
    ['from/open?versionId=', 400],
    ['from/open%3FversionId=null', 400],
    ['from/open%3FversionId%3Dnull', 400],
    ['from/open, from/secret', 403],
    ['paths/pub/../secret', 400],
    ['paths/pub/%2e%2e/secret', 400],
    ['paths/pub//k', 400],
    ['paths/pub/./k', 400],
    ['paths/pub/.sgwtmp/k', 400],
    ['paths/pub/k?versionId=..%2F..', 400],
    ['elsewhere/open', 404],
    ['nowhere/open', 404],
    ['10.0.0.1/open', 400],
    ['target/k', 403],
    ['arn:aws:s3:us-east-1:123456789012:accesspoint/p/object/open', 404],
    ['', 400],
    ['from', 400],
    ['%', 400],
  ])('what it may not read, or could be read in two ways, is not copied: %s', async (source, status) => {
    await start(some);
    await lab.store.put('/target/k', 'kept');
    const reply = await copy(source);
    expect([reply.status, await copied()]).toEqual([status, 'kept']);
    expect(reply.text).not.toMatch(/behind|hidden/);
  });

  it('the source is named once, in a header', async () => {
    await start(some);
    await lab.store.put('/target/k', 'kept');
    const raw = (headers: Record<string, string | string[]>, query = '') =>
      rawRequest(lab.gateway.url(), {
        method: 'PUT',
        path: `/target/k${query}`,
        headers: { host: 'h', ...headers },
      });
    const twice = await raw({ 'x-amz-copy-source': ['from/open', 'from/secret'] });
    const inBoth = await raw({ 'x-amz-copy-source': 'from/open', 'x-store-copy-source': 'from/secret' });
    const beside = await raw({ 'x-amz-copy-source': 'from/open' }, '?x-amz-copy-source=from/secret');
    const alone = await raw({}, '?x-amz-copy-source=from/secret');
    const range = await raw({ 'x-amz-copy-source-range': 'bytes=0-1' });
    expect([twice, inBoth, beside, alone, range].map(({ status }) => status)).toEqual([
      400, 400, 400, 501, 501,
    ]);
    expect(await copied()).toBe('kept');
  });

  it('a version needs the right to read versions, and that alone', async () => {
    await start([{ actions: ['GetObjectVersion'], keys: ['**'] }]);
    expect((await copy('from/open')).status).toBe(403);
    expect((await copy('from/open?versionId=null')).status).toBe(200);
    expect(await copied()).toBe('open');
  });

  it('a missing source is told to those who may list the keys of its bucket', async () => {
    await start([{ actions: ['GetObject'], keys: ['**'] }]);
    expect((await copy('from/none')).status).toBe(403);
    await lab.stop();
    await start([{ actions: ['GetObject', 'ListBucket'], keys: ['**'] }]);
    const reply = await copy('from/none');
    expect([reply.status, /behind|hidden/.test(reply.text)]).toEqual([404, false]);
  });

  it('parts are copied only from what may be read', async () => {
    await start(some);
    const before = await lab.requests();
    expect((await copy('from/secret', {}, '/target/k?uploadId=u&partNumber=1')).status).toBe(403);
    expect((await copy('from/open', {}, '/target/k?uploadId=u')).status).toBe(405);
    expect((await copy('from/open', {}, '/target/k?uploadId=u&partNumber=x')).status).toBe(400);
    expect(await lab.requests()).toBe(before);
  });

  it('nobody adds a source to a URL that somebody else has signed for a PUT', async () => {
    await start(some);
    const origin = lab.gateway.url();
    const nowMs = lab.store.clock.nowMs();
    const signed = presignedQuestion(
      { path: '/target/k', method: 'PUT' },
      { origin, prefix: 'x-amz-', nowMs },
    );
    const headers = { ...signed.headers, 'x-amz-copy-source': 'from/secret' };
    expect((await rawRequest(origin, { ...signed, headers })).status).toBe(403);
    expect((await lab.askStore({ path: '/target/k' })).status).toBe(404);
  });
});

describe('the tags of a source', () => {
  let lab: Lab;
  const start = async (source: readonly string[], target: readonly string[]) => {
    const rule = (actions: readonly string[]): readonly GrantRule[] => [{ actions, keys: ['**'] }];
    const anonymous = { from: rule(source), target: rule(target) };
    lab = await Lab.start({ buckets: { from: {}, target: {} }, anonymous });
    for (const path of ['/from', '/target']) await lab.store.put(path);
    await lab.sdk().send(new PutObjectCommand({ Bucket: 'from', Key: 'k', Body: 'x', Tagging: 'secret=1' }));
  };
  afterEach(() => lab.stop());
  const copy = async (fields = {}) => {
    const asked = {
      path: '/target/k',
      method: 'PUT',
      as: 'anonymous',
      fields: { 'copy-source': 'from/k', ...fields },
    } as const;
    const { status } = await lab.ask(asked);
    if (status !== 200) return status;
    const { TagSet } = await lab.sdk(OWNER).send(new GetObjectTaggingCommand({ Bucket: 'target', Key: 'k' }));
    return TagSet?.map(({ Key }) => Key).join();
  };

  it('come along where they may be read and written', async () => {
    await start(['GetObject', 'GetObjectTagging'], ['PutObject', 'PutObjectTagging']);
    expect(await copy()).toBe('secret');
    expect(await copy({ 'tagging-directive': 'COPY' })).toBe('secret');
    expect(await copy({ 'tagging-directive': 'REPLACE', tagging: 'own=1' })).toBe('own');
  });

  it.each([
    [['GetObject'], ['PutObject', 'PutObjectTagging']],
    [['GetObject', 'GetObjectTagging'], ['PutObject']],
  ])('stay behind for callers who may only %o and %o', async (source, target) => {
    await start(source, target);
    expect(await copy()).toBe('');
    expect(await copy({ 'tagging-directive': 'REPLACE' })).toBe('');
    for (const directive of ['COPY', 'copy', 'replace', ''])
      expect(await copy({ 'tagging-directive': directive })).toBe(403);
  });
});

it('tags stay where they are when a copy onto itself changes the metadata', async () => {
  const lab = await Lab.start({
    buckets: { box: {} },
    anonymous: { box: [{ actions: ['GetObject', 'PutObject'], keys: ['**'] }] },
  });
  await lab.store.put('/box');
  await lab.sdk().send(new PutObjectCommand({ Bucket: 'box', Key: 'k', Body: 'x', Tagging: 'a=1' }));
  const fields = { 'copy-source': 'box/k', 'metadata-directive': 'REPLACE', 'meta-colour': 'blue' };
  expect((await lab.ask({ path: '/box/k', method: 'PUT', as: 'anonymous', fields })).status).toBe(200);
  const head = await lab.sdk().send(new HeadObjectCommand({ Bucket: 'box', Key: 'k' }));
  expect(head).toMatchObject({ Metadata: { colour: 'blue' }, TagCount: 1 });
  await lab.stop();
});

describe('what the store is told of a source', () => {
  const point = 'arn:aws:s3:us-east-1:123456789012:accesspoint/point';
  let store: RawStore;
  let gateway: TestGateway;

  beforeEach(async () => {
    const result = '<CopyObjectResult><ETag>e</ETag></CopyObjectResult>';
    store = await RawStore.start(socket =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${result.length}\r\n\r\n${result}`),
    );
    gateway = await TestGateway.start({
      ...{ storeUrl: store.url, otherStores: { elsewhere: store.url }, listener: 'worker' },
      buckets: {
        own: {},
        part: { bucketAtStore: 'real', keyPrefix: 'tenant a/' },
        'by-point': { bucketAtStore: point },
        keyless: { customerKeys: { plainHttp: 'never' } },
      },
    });
  });
  afterEach(async () => {
    await gateway.close();
    await store.close();
  });

  const copy = (source: string, more: Record<string, string> = {}) =>
    gateway.send('PUT', '/own/k', { 'x-amz-copy-source': source, ...more });
  const told = () => /\r\nx-amz-copy-source: (.*)\r\n/.exec(store.requests.at(-1) ?? '')?.[1];

  it.each([
    ['own/a b', 'own/a%20b'],
    ['part/ü?', 'real/tenant%20a/%C3%BC%3F'],
    ['part/k?versionId=v%2Fw', 'real/tenant%20a/k?versionId=v%2Fw'],
    ['by-point/k', `${point}/object/k`],
    [`${point}/object/k`, `${point}/object/k`],
  ])('%s is %s', async (source, atStore) => {
    expect((await copy(Buffer.from(source).toString('latin1'))).status).toBe(200);
    expect(told()).toBe(atStore);
    expect(store.requests).toHaveLength(1);
  });

  it('is nothing where it is at another store: 501', async () => {
    const { status, body } = await copy('elsewhere/k');
    expect([status, body.toString()]).toEqual([501, expect.stringContaining('same backend')]);
    expect(store.requests).toEqual([]);
  });

  it('is its conditions, range and customer key', async () => {
    const key = Buffer.alloc(32, 7);
    const named = 'x-amz-copy-source-server-side-encryption-customer-';
    const customer = {
      [`${named}algorithm`]: 'AES256',
      [`${named}key`]: key.toString('base64'),
      [`${named}key-md5`]: createHash('md5').update(key).digest('base64'),
    };
    const others = {
      'x-amz-copy-source-if-match': '"e"',
      'x-amz-source-expected-bucket-owner': '123456789012',
    };
    expect((await copy('part/k', { ...customer, ...others })).status).toBe(200);
    for (const [name, value] of Object.entries({ ...customer, ...others }))
      expect(store.requests[0]).toContain(`\r\n${name}: ${value}\r\n`);
    expect((await copy('keyless/k', customer)).status).toBe(400);
    expect((await copy('part/k', { ...customer, [`${named}key-md5`]: 'AAAA' })).status).toBe(400);
    expect(store.requests).toHaveLength(1);
  });
});

it('the tag of what was made of the source stands for the source', async () => {
  const store = await RawStore.start(socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
  const rules = {
    codings: ['br'],
    types: ['text/*'],
    minSizeBytes: 1,
    maxSizeBytes: 100,
    signed: true,
  } as const;
  const keyRules = [{ keys: ['made/*'], compress: rules }];
  const gateway = await TestGateway.start({ storeUrl: store.url, keyRules });
  const demanded = async (key: string) => {
    const fields = { 'x-amz-copy-source': `b/${key}`, 'x-amz-copy-source-if-match': '"e-tidegate-br"' };
    await gateway.send('PUT', '/b/k', fields);
    return /^x-amz-copy-source-if-match: .*$/gim.exec(store.requests.at(-1) ?? '')?.[0];
  };
  expect(await demanded('made/k')).toBe('x-amz-copy-source-if-match: "e"');
  expect(await demanded('other/k')).toBe('x-amz-copy-source-if-match: "e-tidegate-br"');
  await gateway.close();
  await store.close();
});

it.each([
  ['an error', '<Error><Code>InternalError</Code></Error>'],
  ['nothing that can be read', '<CopyObj'],
])(
  'law 5: a copy that is answered with 200 and %s may be done later, so reads of its key are revalidated',
  async (_, document) => {
    const object = 'HTTP/1.1 200 OK\r\netag: "a"\r\ncontent-length: 3\r\n\r\n';
    const store = await RawStore.start((socket, request) => {
      if (request.startsWith('PUT'))
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${document.length}\r\n\r\n${document}`);
      else socket.write(object + (request.startsWith('GET') ? 'old' : ''));
    });
    const buckets = { b: {}, renamed: { bucketAtStore: 'c' } };
    const gateway = await TestGateway.start({ storeUrl: store.url, buckets });
    const cacheOf = async () => (await gateway.get('/renamed/k')).headers['x-cache'];
    expect([await cacheOf(), await cacheOf()]).toEqual(['MISS', 'HIT']);
    await rawRequest(gateway.url(), {
      method: 'PUT',
      path: '/renamed/k',
      headers: { 'x-amz-copy-source': '/renamed/other', 'content-length': '0' },
    });
    await cacheOf();
    expect([await cacheOf(), await cacheOf()]).toEqual(['REVALIDATED', 'REVALIDATED']);
    await gateway.close();
    await store.close();
  },
);
