import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lab } from '../../support/conformance/lab.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

describe('what is said of a body', () => {
  let store: RawStore;
  let gateway: TestGateway;

  beforeEach(async () => {
    store = await RawStore.start(socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    gateway = await TestGateway.start({ storeUrl: store.url });
  });
  afterEach(async () => {
    await gateway.close();
    await store.close();
  });

  const put = (headers: Readonly<Record<string, string | readonly string[]>>) =>
    rawRequest(gateway.url(), { method: 'PUT', path: '/b/k', headers, body: 'abc' });

  it.each([
    ['aws-chunked', undefined],
    ['AWS-Chunked', undefined],
    ['gzip', 'gzip'],
    ['AWS-Chunked, gzip', 'gzip'],
    ['br,aws-chunked', 'br'],
  ])(
    'the coding of the client’s body ends at the gateway: %s is %s at the store',
    async (coding, atStore) => {
      expect((await put({ 'content-encoding': coding })).status).toBe(200);
      const [line] = /^content-encoding: .*$/im.exec(store.requests[0] ?? '') ?? [];
      expect(line?.replace(/^.*: /, '')).toBe(atStore);
    },
  );

  it('an MD5 is one, not the first of several', async () => {
    const md5 = createHash('md5').update('abc').digest('base64');
    expect((await put({ 'content-md5': md5 })).status).toBe(200);
    const several = await put({ 'content-md5': [md5, createHash('md5').update('x').digest('base64')] });
    expect([several.status, several.text]).toEqual([
      400,
      expect.stringContaining('<Code>InvalidDigest</Code>'),
    ]);
    expect(store.requests).toHaveLength(1);
  });

  it('a write with a condition that is not passed is not done', async () => {
    const refused = await put({ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' });
    expect([refused.status, refused.text]).toEqual([
      501,
      expect.stringContaining('<Code>NotImplemented</Code>'),
    ]);
    expect(store.requests).toEqual([]);
    expect((await put({ 'if-none-match': '*' })).status).toBe(200);
  });
});

describe('what a writer without a signature may learn and do', () => {
  let lab: Lab;

  const start = async (...actions: string[]) => {
    lab = await Lab.start({
      buckets: { box: {} },
      anonymous: { box: [{ actions, keys: ['**'] }] },
    });
    await lab.store.put('/box');
  };
  afterEach(() => lab.stop());

  it.each([
    [['PutObject'], 403, 'AccessDenied'],
    [['PutObject', 'ListBucket'], 404, 'NoSuchKey'],
  ] as const)('that a key is missing is told to those who may list it: %o', async (actions, status, code) => {
    await start(...actions);
    const conditional = { method: 'PUT', path: '/box/missing', headers: { 'if-match': '"e"' } };
    const { status: got, text } = await lab.ask({ ...conditional, as: 'anonymous' });
    expect([got, /<Code>(.*?)<\/Code>/.exec(text)?.[1]]).toEqual([status, code]);
  });

  it('one version of an object is deleted, and no other', async () => {
    await start('DeleteObjectVersion');
    const enabled = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await lab.store.put('/box?versioning', enabled);
    const versions: string[] = [];
    for (const content of ['first', 'second', 'third'])
      versions.push((await lab.store.put('/box/k', content)).headers['x-amz-version-id'] ?? '');
    const path = `/box/k?versionId=${versions[1]}`;
    expect((await lab.ask({ path: '/box/k', method: 'DELETE', as: 'anonymous' })).status).toBe(403);
    expect((await lab.ask({ path, method: 'DELETE', as: 'anonymous' })).status).toBe(204);
    const left = await Promise.all(
      versions.map(async version => (await lab.askStore({ path: `/box/k?versionId=${version}` })).status),
    );
    expect(left).toEqual([200, 404, 200]);
    expect((await lab.askStore({ path: '/box/k' })).text).toBe('third');
  });
});
