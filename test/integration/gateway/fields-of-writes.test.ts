import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { anonymous, type Caller } from '../../../src/gateway/request/access.ts';
import { accessLogTo } from '../../support/access-log-to.ts';
import { clientCalled } from '../../support/callers.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { contentMd5 } from '../../support/content-md5.ts';
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

  it('the store judges a cross-origin request by all that it says of itself', async () => {
    const asked = { 'access-control-request-method': 'FLY', 'access-control-request-headers': 'x-a' };
    expect((await put({ ...asked, origin: 'https://page.test' })).status).toBe(200);
    for (const [name, value] of Object.entries(asked))
      expect(store.requests[0]?.toLowerCase()).toContain(`\r\n${name}: ${value.toLowerCase()}\r\n`);
    await put(asked);
    expect(store.requests[1]).not.toContain('access-control');
  });

  it('a copy has no content of its own, and names a source in an operation that copies', async () => {
    const source = { 'x-amz-copy-source': 'b/other' };
    const refused = await put(source);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('The request included a body. Requests of this type must not include'),
    ]);
    const removed = await rawRequest(gateway.url(), { method: 'DELETE', path: '/b/k', headers: source });
    expect([removed.status, removed.text]).toEqual([
      400,
      expect.stringContaining('You can only specify a copy source header for copy requests.'),
    ]);
    expect(store.requests).toEqual([]);
  });

  it.each([
    ['uploadId=u', 405, '<Method>PUT</Method><ResourceType>UPLOAD</ResourceType>'],
    ['partNumber=1', 400, 'This operation does not accept partNumber without uploadId'],
  ])('a part has a number and an upload: PUT ?%s', async (query, status, text) => {
    const path = `/b/k?${query}`;
    const refused = await rawRequest(gateway.url(), { method: 'PUT', path, headers: {}, body: 'abc' });
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(text)]);
    expect(store.requests).toEqual([]);
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

  it('what has a meaning for reads alone is ignored: the write is whole (RFC 9110 §13.1.3, §14.2)', async () => {
    const ofReads = { range: 'bytes=0-1', 'if-modified-since': 'Thu, 01 Jan 2037 00:00:00 GMT' };
    expect((await put(ofReads)).status).toBe(200);
    const [request = ''] = store.requests;
    expect(request).toMatch(/^content-length: 3\r$/im);
    expect(request).not.toMatch(/^(?:range|if-modified-since):/im);
  });
});

describe('a code of multi-factor authentication', () => {
  const mfa = 'arn:aws:iam::123456789012:mfa/root 314159';
  const lines: string[] = [];
  let store: RawStore;
  let gateway: TestGateway;

  const start = async (caller: Caller) => {
    const write = (line: string) => void lines.push(line);
    const logger = createLogger({ level: 'debug', sink: { write, flush: () => undefined } });
    store = await RawStore.start(socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    gateway = await TestGateway.start({
      ...{ storeUrl: store.url, authenticate: () => caller, accessLog: accessLogTo(write), logger },
    });
  };
  afterEach(async () => {
    await gateway.close();
    await store.close();
    lines.length = 0;
  });

  const body = '<Delete><Object><Key>k</Key><VersionId>v</VersionId></Object></Delete>';
  const rows = [
    ['DELETE', '/b/k?versionId=v', ''],
    ['POST', '/b?delete', body],
    ['PUT', '/b?versioning', '<VersioningConfiguration/>'],
  ] as const;
  const send = (method: string, path: string, text: string, headers: Record<string, string>) => {
    const length = { 'content-length': String(text.length), ...contentMd5(text) };
    return rawRequest(gateway.url(), { method, path, headers: { ...length, ...headers }, body: text });
  };

  it.each(rows)('goes to the store where it is for it: %s %s', async (method, path, text) => {
    await start(clientCalled('me'));
    await send(method, path, text, { 'x-amz-mfa': mfa });
    expect(store.requests[0]).toContain(`x-amz-mfa: ${mfa}\r\n`);
    expect(lines.join('')).toContain(path.slice(0, 3));
    expect(lines.join('')).not.toContain('314159');
  });

  it.each(rows)('is not sent for a caller without a signature: %s %s', async (method, path, text) => {
    await start(anonymous);
    await send(method, path, text, { 'x-amz-mfa': mfa });
    expect(store.requests).toHaveLength(1);
    expect(store.requests[0]).not.toContain('314159');
  });

  it('is not taken from a URL, nor shown in one', async () => {
    await start(clientCalled('me'));
    await send('DELETE', `/b/k?x-amz-mfa=${encodeURIComponent(mfa)}`, '', {});
    expect(store.requests).toHaveLength(1);
    expect(store.requests[0]).not.toContain('314159');
    expect(lines.join('')).toContain('x-amz-mfa=[redacted]');
    expect(lines.join('')).not.toContain('314159');
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
