import { Agent } from 'node:http';
import { Sha256 } from '@aws-crypto/sha256-js';
import {
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../../src/embedded-store/access/caller.ts';
import { Lab } from '../../../support/conformance/lab.ts';
import { agreeBySdk, readBySdk, type SdkRead } from '../../../support/conformance/sdk-reads.ts';
import { OWNER } from '../../../support/embedded-store/store-under-test.ts';
import { rawRequest } from '../../../support/raw-request.ts';

const account = (accessKeyId: string, actions: readonly string[]): Account => ({
  accessKeyId,
  secretAccessKey: `${accessKeyId}-secret`,
  grants: [{ actions, keys: ['**', '!private/**'] }],
});
const reader = account('reader', ['GetObject']);
const lister = account('lister', ['GetObject', 'ListBucket']);
const tagReader = account('tag-reader', ['GetObject', 'GetObjectTagging']);
const domain = 's3.example.test';

describe('the AWS SDK as a client that the gateway knows', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      accounts: [OWNER, reader, lister, tagReader],
      store: { ownerId: '999988887777' },
      buckets: { box: {} },
      gateway: { domain },
    });
    await lab.store.put('/box');
    await lab.store.put('/box/k', 'content', { 'x-amz-tagging': 'a=1', 'content-type': 'text/plain' });
    await lab.store.put('/box/private/k', 'private');
  });
  afterAll(() => lab.stop());

  const read = (input: Partial<SdkRead>, as?: Account) =>
    agreeBySdk(lab, { Bucket: 'box', Key: 'k', ...input }, as);
  const refused = (command: Promise<unknown>): Promise<S3ServiceException> =>
    command.then(
      () => expect.unreachable('it was not refused'),
      error => (error instanceof S3ServiceException ? error : expect.unreachable(String(error))),
    );

  it('rows 111, 112 and 114: a missing key, with and without the permission to list', async () => {
    const missing = { status: 404, fields: { name: 'NoSuchKey', Key: 'none' } };
    const denied = { status: 403, fields: { name: 'AccessDenied' } };
    expect(await read({ Key: 'none' }, lister)).toMatchObject(missing);
    expect(await read({ Key: 'none' }, reader)).toMatchObject(denied);
    expect((await read({ Key: 'none', method: 'HEAD' }, lister)).status).toBe(404);
    expect((await read({ Key: 'none', method: 'HEAD' }, reader)).status).toBe(403);
  });

  it('row 109: a key and a version that may not be read', async () => {
    expect((await read({ Key: 'private/k' }, reader)).status).toBe(403);
    expect((await read({ VersionId: 'null' }, reader)).status).toBe(403);
  });

  it('row 119: a bucket that is not there', async () => {
    const fields = { name: 'NoSuchBucket', BucketName: 'nowhere' };
    expect(await read({ Bucket: 'nowhere' })).toMatchObject({ status: 404, fields });
  });

  it('rows 123 and 124: the expected owner of the bucket', async () => {
    expect((await read({ ExpectedBucketOwner: '999988887777' })).status).toBe(200);
    expect((await read({ ExpectedBucketOwner: '111111111111' })).status).toBe(403);
    const fields = { name: 'InvalidBucketOwnerAWSAccountID' };
    expect(await read({ ExpectedBucketOwner: 'abcd' })).toMatchObject({ status: 400, fields });
  });

  it('row 129: tags are counted for those who may read them', async () => {
    expect((await read({}, tagReader)).fields.TagCount).toBe(1);
    expect((await read({}, reader)).fields.TagCount).toBeUndefined();
  });

  it.each([
    [208, { ...OWNER, accessKeyId: 'nobody' }, 'InvalidAccessKeyId'],
    [209, { ...OWNER, secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
  ])('row %i: wrong credentials', async (_row, as, name) => {
    const answer = await readBySdk(lab.sdk(as), { Bucket: 'box', Key: 'k' });
    expect(answer).toMatchObject({ status: 403, fields: { name } });
  });

  it('row 258: a Date header serves where the date of the protocol is missing', async () => {
    const { hostname, port, host, origin } = new URL(lab.gateway.url());
    const signer = new SignatureV4({
      service: 's3',
      region: 'us-east-1',
      credentials: reader,
      sha256: Sha256,
      uriEscapePath: false,
    });
    const path = '/box/k';
    const signingDate = new Date(lab.store.clock.nowMs());
    const unsigned = {
      method: 'GET',
      protocol: 'http:',
      hostname,
      port: Number(port),
      path,
      headers: { host },
    };
    const unsignableHeaders = new Set(['x-amz-date']);
    const { headers } = await signer.sign(unsigned, { signingDate, unsignableHeaders });
    const { 'x-amz-date': _date, ...others } = headers;
    expect((await rawRequest(origin, { path, headers: others })).status).toBe(403);
    const dated = { ...others, date: signingDate.toUTCString() };
    expect(await rawRequest(origin, { path, headers: dated })).toMatchObject({
      status: 200,
      text: 'content',
    });
  });

  it('HeadBucket and ListObjectsV2 are for those who may list', async () => {
    const list = new ListObjectsV2Command({ Bucket: 'box' });
    const { Contents, $metadata } = await lab.sdk(lister).send(list);
    expect($metadata.httpStatusCode).toBe(200);
    expect(Contents?.map(({ Key }) => Key)).toEqual(['k']);
    await lab.sdk(lister).send(new HeadBucketCommand({ Bucket: 'box' }));
    const inVain = lab.sdk(reader).send(new ListObjectsV2Command({ Bucket: 'box' }));
    expect(await refused(inVain)).toMatchObject({ name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
    const head = await refused(lab.sdk(reader).send(new HeadBucketCommand({ Bucket: 'box' })));
    expect(head.$metadata.httpStatusCode).toBe(403);
    const nowhere = await refused(lab.sdk().send(new HeadBucketCommand({ Bucket: 'nowhere' })));
    expect(nowhere.$metadata.httpStatusCode).toBe(404);
  });

  it('PutObject is for those who may write', async () => {
    const put = () => new PutObjectCommand({ Bucket: 'box', Key: 'written', Body: 'other' });
    expect(await refused(lab.sdk(reader).send(put()))).toMatchObject({ name: 'AccessDenied' });
    expect((await read({ Key: 'written' }, lister)).status).toBe(404);
    await lab.sdk().send(put());
    expect((await read({ Key: 'written' })).body).toBe('other');
  });

  it('row 230: buckets are addressed in the host as in the path', async () => {
    const { port } = new URL(lab.gateway.url());
    // the SDK looks the host up; nobody but this test knows the domain
    const httpAgent = new Agent({
      lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const inHost = {
      endpoint: `http://${domain}:${port}`,
      forcePathStyle: false,
      requestHandler: { httpAgent },
    };
    const client = lab.sdk(reader, inHost);
    const inPath = await read({}, reader);
    const { storeRequests: _storeRequests, ...seen } = inPath;
    expect(await readBySdk(client, { Bucket: 'box', Key: 'k' })).toEqual(seen);
    expect((await readBySdk(client, { Bucket: 'box', Key: 'private/k' })).status).toBe(403);
    client.destroy();
  });

  describe('with presigned URLs', () => {
    const follow = async (client: S3Client, input: Partial<GetObjectCommandInput> = {}, ageS = 0) => {
      const command = new GetObjectCommand({ Bucket: 'box', Key: 'k', ...input });
      const signingDate = new Date(lab.store.clock.nowMs() - ageS * 1000);
      const url = new URL(await getSignedUrl(client, command, { expiresIn: 60, signingDate }));
      const headers = { host: url.host };
      return rawRequest(lab.gateway.url(), { path: url.pathname + url.search, headers });
    };

    it('row 237: anybody who has one reads what its signer may, cold and warm', async () => {
      lab.forget();
      for (const cache of ['MISS', 'HIT']) {
        const reply = await follow(lab.sdk(reader));
        expect(reply).toMatchObject({ status: 200, text: 'content', headers: { 'x-cache': cache } });
        expect(reply.headers['x-amz-tagging-count']).toBeUndefined();
      }
      expect((await follow(lab.sdk(tagReader))).headers['x-amz-tagging-count']).toBe('1');
      expect((await follow(lab.sdk(reader), { Key: 'private/k' })).status).toBe(403);
    });

    it('row 133: overrides in it replace what is stored', async () => {
      const reply = await follow(lab.sdk(reader), { ResponseContentType: 'text/css' });
      expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'text/css' } });
      expect((await follow(lab.sdk(reader))).headers['content-type']).toBe('text/plain');
    });

    it('row 238: it ends when it says, however warm the cache', async () => {
      expect((await follow(lab.sdk(reader), {}, 59)).status).toBe(200);
      const late = await follow(lab.sdk(reader), {}, 60);
      expect(late.status).toBe(403);
      expect(late.text).toContain('<Message>Request has expired</Message><X-Amz-Expires>60</X-Amz-Expires>');
    });
  });
});
