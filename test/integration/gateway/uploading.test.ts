import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GrantRule } from '../../../src/s3/grants.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { RawStore } from '../../support/raw-store.ts';
import { copyOf, patternContent } from '../../support/stand-in/content.ts';
import { talk } from '../../support/talk.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const mebibyte = 1024 * 1024;
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe.each([
  { client: 'x-amz-', store: 'x-amz-' },
  { client: 'x-amz-', store: 'x-store-' },
] as const)('uploads in parts through the gateway in front of a store that speaks $store', dialects => {
  let lab: Lab;
  const content = copyOf(patternContent(11 * mebibyte + 3));
  const Bucket = 'renamed';

  beforeAll(async () => {
    lab = await Lab.start({
      dialects,
      buckets: { box: {}, renamed: { bucketAtStore: 'box', keyPrefix: 'tenant a/' } },
    });
    await lab.store.put('/box');
  });
  afterAll(() => lab.stop());

  async function upload(Key: string, more: { ChecksumAlgorithm?: 'SHA256' } = {}) {
    const { UploadId } = await lab.sdk().send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }));
    const Parts = [];
    for (const [index, start] of [0, 5 * mebibyte, 10 * mebibyte].entries()) {
      const Body = content.subarray(start, Math.min(start + 5 * mebibyte, content.length));
      const part = { Bucket, Key, UploadId, PartNumber: index + 1, Body, ...more };
      const { ETag, ChecksumSHA256 } = await lab.sdk().send(new UploadPartCommand(part));
      Parts.push({ PartNumber: index + 1, ETag, ...(ChecksumSHA256 && { ChecksumSHA256 }) });
    }
    return { Bucket, Key, UploadId, MultipartUpload: { Parts } };
  }

  async function hashThrough(Key: string): Promise<string> {
    const { Body } = await lab.sdk().send(new GetObjectCommand({ Bucket, Key }));
    return hashOf((await Body?.transformToByteArray()) ?? new Uint8Array());
  }

  it('an upload is created, listed and completed under the names of the client', async () => {
    const Key = 'a b/ü & <x>';
    const uploaded = await upload(Key);
    const listed = await lab.sdk().send(new ListMultipartUploadsCommand({ Bucket }));
    expect(listed.Uploads).toMatchObject([{ Key, UploadId: uploaded.UploadId }]);
    const { MultipartUpload: _, ...named } = uploaded;
    const parts = await lab.sdk().send(new ListPartsCommand(named));
    expect([parts.Bucket, parts.Key, parts.Parts?.length]).toEqual([Bucket, Key, 3]);
    const completed = await lab.sdk().send(new CompleteMultipartUploadCommand(uploaded));
    expect([completed.Bucket, completed.Key]).toEqual([Bucket, Key]);
    expect(JSON.stringify(completed)).not.toMatch(/box|tenant/);
    expect(completed.ETag).toMatch(/-3"$/);
    expect(await hashThrough(Key)).toBe(hashOf(content));
    expect(
      hashOf(
        (await lab.askStore({ path: `/box/tenant%20a/${encodeURIComponent('a b')}/%C3%BC%20%26%20%3Cx%3E` }))
          .body,
      ),
    ).toBe(hashOf(content));
  });

  it('what was there before is not read any more once an upload is completed', async () => {
    await lab.store.put('/box/tenant%20a/known', 'before');
    expect(await hashThrough('known')).toBe(hashOf(Buffer.from('before')));
    const uploaded = await upload('known');
    // parts are no object yet
    const before = await lab.requests();
    expect(await hashThrough('known')).toBe(hashOf(Buffer.from('before')));
    expect(await lab.requests()).toBe(before);
    await lab.sdk().send(new CompleteMultipartUploadCommand(uploaded));
    expect(await hashThrough('known')).toBe(hashOf(content));
  });

  it('checksums of parts are those that the client declares', async () => {
    const uploaded = await upload('summed', { ChecksumAlgorithm: 'SHA256' });
    const digests = uploaded.MultipartUpload.Parts.map(({ ChecksumSHA256 = '' }) =>
      Buffer.from(ChecksumSHA256, 'base64'),
    );
    const { ChecksumSHA256 } = await lab.sdk().send(new CompleteMultipartUploadCommand(uploaded));
    expect(ChecksumSHA256).toBe(`${createHash('sha256').update(Buffer.concat(digests)).digest('base64')}-3`);
  });

  it('an upload is aborted, and is none of another key', async () => {
    const { UploadId, Key } = await upload('aborted');
    const abort = (key: string) =>
      lab.sdk().send(new AbortMultipartUploadCommand({ Bucket, Key: key, UploadId }));
    await expect(abort('other')).rejects.toMatchObject({ name: 'NoSuchUpload' });
    await abort(Key);
    await expect(abort(Key)).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });

  it('an error in the store’s list of parts names nothing of the store', async () => {
    const uploaded = await upload('refused');
    const [first] = uploaded.MultipartUpload.Parts;
    const complete = lab.sdk().send(
      new CompleteMultipartUploadCommand({
        ...uploaded,
        MultipartUpload: { Parts: [{ ...first, ETag: '"wrong"' }] },
      }),
    );
    await expect(complete).rejects.toMatchObject({ name: 'InvalidPart' });
  });
});

describe('who may upload in parts', () => {
  let lab: Lab;
  const start = async (anonymous: readonly GrantRule[]) => {
    lab = await Lab.start({ buckets: { box: {} }, anonymous: { box: anonymous } });
    await lab.store.put('/box');
  };
  afterEach(() => lab.stop());
  const ask = (method: string, path: string, fields = {}) =>
    lab.ask({ method, path, as: 'anonymous', fields });

  it('needs PutObject for all but giving up and listing, which have actions of their own', async () => {
    await start([{ actions: ['PutObject'], keys: ['up/**'] }]);
    const created = await ask('POST', '/box/up/k?uploads');
    const uploadId = /<UploadId>(.*?)<\/UploadId>/.exec(created.text)?.[1] ?? '';
    expect([created.status, uploadId === '']).toEqual([200, false]);
    expect((await ask('PUT', `/box/up/k?uploadId=${uploadId}&partNumber=1`)).status).toBe(200);
    const before = await lab.requests();
    for (const [method, path] of [
      ['DELETE', `/box/up/k?uploadId=${uploadId}`],
      ['GET', `/box/up/k?uploadId=${uploadId}`],
      ['GET', '/box?uploads'],
      ['POST', '/box/k?uploads'],
      ['PUT', `/box/k?uploadId=${uploadId}&partNumber=1`],
      ['POST', `/box/k?uploadId=${uploadId}`],
    ] as const)
      expect([path, (await ask(method, path)).status]).toEqual([path, 403]);
    expect(await lab.requests()).toBe(before);
  });

  it.each(['AbortMultipartUpload', 'ListParts'])('%s alone writes nothing', async action => {
    await start([{ actions: [action], keys: ['**'] }]);
    for (const [method, path] of [
      ['POST', '/box/k?uploads'],
      ['PUT', '/box/k?uploadId=u&partNumber=1'],
      ['POST', '/box/k?uploadId=u'],
      ['PUT', '/box/k'],
      ['DELETE', '/box/k'],
    ] as const)
      expect((await ask(method, path)).status).toBe(403);
  });

  it.each([
    [{ acl: 'public-read' }, 403],
    [{ tagging: 'a=1' }, 403],
    [{ 'object-lock-legal-hold': 'ON' }, 403],
    [{ 'meta-snowball-auto-extract': 'true' }, 501],
    [{ 'meta-colour': 'blue' }, 200],
  ])('an upload is not begun with what its caller may not write: %o', async (fields, status) => {
    await start([{ actions: ['PutObject'], keys: ['**'] }]);
    expect((await ask('POST', '/box/k?uploads', fields)).status).toBe(status);
  });
});

/** A store of nothing but a socket, in front of which buckets have other names. */
describe('what a store answers to an upload', () => {
  let store: RawStore;
  let gateway: TestGateway;
  let say: (request: string) => string[];
  /** The connection of the last request. */
  let last: Socket | undefined;

  beforeEach(async () => {
    store = await RawStore.start((socket, request) => {
      last = socket;
      for (const piece of say(request)) socket.write(piece);
    });
    const part = { bucketAtStore: 'real.name', keyPrefix: 'tenant a/' };
    gateway = await TestGateway.start({
      storeUrl: store.url,
      buckets: { own: {}, part },
      listener: 'worker',
    });
  });
  afterEach(async () => {
    await gateway.close();
    await store.close();
  });

  const whole = (body: string) => [
    `HTTP/1.1 200 OK\r\ncontent-type: application/xml\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  ];
  const completedAt = (location: string) =>
    `<CompleteMultipartUploadResult><Location>${location}</Location><Bucket>real.name</Bucket><Key>tenant a/k</Key><ETag>"e"</ETag></CompleteMultipartUploadResult>`;
  const completed = completedAt('http://store.inside:9000/real.name/tenant%20a/k');

  it.each([
    'uploadId=',
    'uploadId',
    'partNumber=1&uploadId=',
    'partNumber=1&uploadId=a&uploadId=b',
    'partNumber=0&uploadId=u',
    'partNumber=10001&uploadId=u',
    'partNumber=1&partNumber=2&uploadId=u',
    'partnumber=1&uploadId=u',
    'uploadId=u',
    'uploadId=..%2Fu&partNumber=1',
    'uploadId=u&partNumber=1&versionId=v',
  ])('no store is asked for a part that is not plain: PUT ?%s', async query => {
    say = () => whole('');
    expect((await gateway.send('PUT', `/own/k?${query}`)).status).toBeGreaterThanOrEqual(400);
    expect(store.requests).toEqual([]);
  });

  it.each(['GET', 'POST', 'DELETE'])('nor %s for the upload without an id', async method => {
    say = () => whole('');
    for (const bucket of ['own', 'part']) {
      const { status, body } = await gateway.send(method, `/${bucket}/k?uploadId=`);
      expect([status, /<Code>(.*?)<\/Code>/.exec(body.toString())?.[1]]).toEqual([404, 'NoSuchUpload']);
    }
    expect(store.requests).toEqual([]);
  });

  it.each([
    ['own', completed],
    ['part', completed],
    ['part', completedAt('/real.name/tenant a/k')],
  ])('the location is the URL at the gateway (bucket %s, %s)', async (bucket, told) => {
    say = () => whole(told);
    const { body } = await gateway.send('POST', `/${bucket}/a%20b/k?uploadId=u`);
    const { host } = new URL(gateway.url());
    expect(body.toString()).toContain(`<Location>http://${host}/${bucket}/a%20b/k</Location>`);
    expect(body.toString()).toContain(`<Bucket>${bucket}</Bucket><Key>a b/k</Key>`);
    expect(body.toString()).not.toMatch(/inside|real|tenant/);
  });

  it.each([
    ['/part/a%20b/k', ''],
    ['http://named.test/part/a%20b/k', 'Host: named.test\r\n'],
  ])('the location is what was asked for, where that names no host: %s', async (target, host) => {
    say = () => whole(completed);
    const line = `POST ${target}?uploadId=u HTTP/1.0\r\n${host}content-length: 0\r\n\r\n`;
    const [heard] = await talk(gateway.url(), line, 1);
    expect(heard?.body).toContain(`<Location>${target}</Location>`);
  });

  const form =
    '--b\r\ncontent-disposition: form-data; name="key"\r\n\r\nk\r\n--b\r\ncontent-disposition: form-data; name="file"\r\n\r\nx\r\n--b--\r\n';

  it('a form that names no host is told a path', async () => {
    say = () => ['HTTP/1.1 200 OK\r\netag: "e"\r\ncontent-length: 0\r\n\r\n'];
    const fields = `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${form.length}\r\n\r\n`;
    const [heard] = await talk(gateway.url(), `POST /own HTTP/1.0\r\n${fields}${form}`, 1);
    expect(heard?.head).toMatch(/\r\nlocation: \/own\/k\r\n/i);
  });

  describe.each(['own', 'part'])('no address of the store is told (bucket %s)', bucket => {
    const addresses = ['location', 'content-location', 'link'].map(
      name => `${name}: <http://store.inside:9000/real.name>`,
    );
    const names = bucket === 'part' ? ['x-amz-bucket-arn: arn:aws:s3:::real.name'] : [];

    const key = bucket === 'part' ? 'tenant a/k' : 'k';
    const results: Readonly<Record<string, string>> = {
      '?list-type=2': `<ListBucketResult><Contents><Key>${key}</Key></Contents></ListBucketResult>`,
      '/k?uploadId=u': `<ListPartsResult><Bucket>real.name</Bucket><Key>${key}</Key><UploadId>u</UploadId></ListPartsResult>`,
      '?delete': `<DeleteResult><Deleted><Key>${key}</Key></Deleted></DeleteResult>`,
    };

    it.each([
      ['PUT', '/k', {}, ''],
      ['DELETE', '/k', {}, undefined],
      ['GET', '/k?tagging', {}, undefined],
      ['GET', '?list-type=2', {}, undefined],
      ['GET', '/k?uploadId=u', {}, undefined],
      ['POST', '/k?restore', {}, '<RestoreRequest><Days>1</Days></RestoreRequest>'],
      [
        ...(['POST', '?delete', { 'content-md5': '5DKh5iefM5MSKvRILIuFwQ==' }] as const),
        '<Delete><Object><Key>k</Key></Object></Delete>',
      ],
      ['POST', '', { 'content-type': 'multipart/form-data; boundary=b' }, form],
      ['OPTIONS', '/k', { origin: 'https://page.test', 'access-control-request-method': 'GET' }, undefined],
    ])('by %s %s', async (method, path, headers, body) => {
      const result = results[path] ?? '';
      const fields = [...addresses, ...names, 'x-amz-version-id: v', `content-length: ${result.length}`];
      say = () => [`HTTP/1.1 200 OK\r\n${fields.join('\r\n')}\r\n\r\n${result}`];
      const answer = await fetch(`${gateway.url()}/${bucket}${path}`, {
        method,
        headers,
        body: body ?? null,
      });
      expect(answer.status).toBeLessThan(300);
      expect(JSON.stringify([...answer.headers])).toContain('-version-id');
      expect(JSON.stringify([...answer.headers])).not.toMatch(/inside|real/);
    });
  });

  it('a bucket that was made has the name of the client, and no address of the store', async () => {
    say = () => ['HTTP/1.1 200 OK\r\nlocation: http://store.inside:9000/x\r\ncontent-length: 0\r\n\r\n'];
    const { status, headers } = await gateway.send('PUT', '/own');
    expect([status, headers.location]).toEqual([200, '/own']);
  });

  it('an error inside of a 200 is told as one, in the names of the client, and white space before it at once', async () => {
    const error =
      '<Error><Code>InternalError</Code><Message>real.name is ill</Message><Key>tenant a/k</Key><BucketName>real.name</BucketName></Error>';
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    say = () => [head, chunk('<?xml version="1.0"?>\n'), chunk(' ')];
    const heard = fetch(`${gateway.url()}/part/k?uploadId=u`, { method: 'POST' });
    const response = await heard;
    const reader = response.body?.getReader();
    let text = '';
    while (!text.endsWith('\n ')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    expect([response.status, text]).toEqual([200, '<?xml version="1.0"?>\n ']);
    last?.write(chunk(error) + chunk(''));
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
      text += Buffer.from(read.value).toString();
    expect(text).toMatch(
      /^<\?xml version="1.0"\?>\n <Error><Code>InternalError<\/Code><Message>We encountered/,
    );
    expect(text).toContain('<Key>k</Key><BucketName>part</BucketName>');
    expect(text).not.toMatch(/real|tenant/);
  });

  it('the checksum of the object is the store’s to compare: it is none of the body', async () => {
    say = () => whole(completed);
    const headers = { 'x-amz-checksum-sha256': 'AAAA-2', 'x-amz-mp-object-size': '7' };
    expect((await gateway.send('POST', '/own/k?uploadId=u', headers)).status).toBe(200);
    expect(store.requests[0]).toMatch(/\r\nx-amz-checksum-sha256: AAAA-2\r\n/);
    expect(store.requests[0]).toMatch(/\r\nx-amz-mp-object-size: 7\r\n/);
  });

  it('what is no result is not passed on', async () => {
    say = () => whole('<html>real.name</html>');
    expect((await gateway.send('POST', '/part/k?uploads')).status).toBe(502);
    expect((await gateway.send('POST', '/part/k?uploadId=u')).status).toBe(502);
  });
});
