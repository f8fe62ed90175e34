import { HeadBucketCommand, ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';

const reader: Account = {
  accessKeyId: 'reader',
  secretAccessKey: 'reader-secret',
  grants: [
    { buckets: ['apples'], actions: ['ListBucket'], keys: ['public/**'] },
    { buckets: ['pears', 'plums'], actions: ['GetObject'] },
  ],
};
const nobody: Account = { accessKeyId: 'nobody', secretAccessKey: 'nobody-secret', grants: [] };

describe.each(crossedDialects)('ListBuckets: $client before $store, $over', dialects => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      dialects,
      accounts: [OWNER, reader, nobody],
      buckets: { pears: {}, apples: {}, plums: { region: 'eu-west-1' } },
      anonymous: { plums: [{ actions: ['ListBucket'], keys: ['**'] }] },
    });
  });
  afterAll(() => lab.stop());

  const names = (text: string) => Array.from(text.matchAll(/<Name>([^<]*)<\/Name>/g), ([, name]) => name);

  it('names the configured buckets that the caller may list, wholly or in part, in their order', async () => {
    const before = await lab.requests();
    const listed = await lab.ask({ path: '/' });
    expect(listed).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/xml', 'x-cache': 'BYPASS' },
    });
    expect(names(listed.text)).toEqual(['apples', 'pears', 'plums']);
    expect(names((await lab.ask({ path: '/', as: reader })).text)).toEqual(['apples', 'plums']);
    // shows the dialect
    const fields = { 'expected-bucket-owner': '000000000000' };
    expect(names((await lab.ask({ path: '/', as: 'anonymous', fields })).text)).toEqual(['plums']);
    expect(names((await lab.ask({ path: '/', as: nobody })).text)).toEqual(['plums']);
    const silent = await lab.send({ path: '/', headers: { host: 'h' } });
    expect(silent.headers, 'in the dialect of the buckets').toHaveProperty(`${dialects.store}request-id`);
    expect(await lab.requests(), 'no store is asked').toBe(before);
  });

  it('gives pages, of a prefix and of a region', async () => {
    const first = await lab.ask({ path: '/?max-buckets=2' });
    expect(names(first.text)).toEqual(['apples', 'pears']);
    const token = /<ContinuationToken>(.*)<\/ContinuationToken>/.exec(first.text)?.[1] ?? '';
    const second = await lab.ask({ path: `/?max-buckets=2&continuation-token=${token}` });
    expect(names(second.text)).toEqual(['plums']);
    expect(second.text).not.toContain('ContinuationToken');
    expect(names((await lab.ask({ path: '/?prefix=p' })).text)).toEqual(['pears', 'plums']);
    expect(names((await lab.ask({ path: '/?bucket-region=eu-west-1' })).text)).toEqual(['plums']);
    for (const count of ['0', '10001', 'many', '-1'])
      expect(await lab.ask({ path: `/?max-buckets=${count}` })).toMatchObject({
        status: 400,
        error: { code: 'InvalidArgument' },
      });
  });

  it('the service has no other operation, and its signature is checked like any other', async () => {
    for (const method of ['HEAD', 'PUT', 'POST', 'DELETE'])
      expect(await lab.ask({ path: '/', method })).toMatchObject({ status: 405, headers: { allow: 'GET' } });
    expect(await lab.ask({ path: '/?newest' })).toMatchObject({ status: 501 });
    const stranger = { accessKeyId: 'stranger', secretAccessKey: 'x' };
    expect(await lab.ask({ path: '/', as: stranger })).toMatchObject({
      status: 403,
      error: { code: 'InvalidAccessKeyId' },
    });
  });
});

it('who is anonymous and may list nothing is refused, a client without a grant gets an empty list', async () => {
  const lab = await Lab.start({ accounts: [OWNER, nobody], buckets: { apples: {} }, anonymous: {} });
  try {
    // shows the dialect
    const fields = { 'expected-bucket-owner': '000000000000' };
    expect(await lab.ask({ path: '/', as: 'anonymous', fields })).toMatchObject({
      status: 403,
      error: { code: 'AccessDenied' },
    });
    const empty = await lab.ask({ path: '/', as: nobody });
    expect(empty.status).toBe(200);
    expect(empty.text).toContain('<Buckets></Buckets>');
  } finally {
    await lab.stop();
  }
});

it('the JavaScript SDK reads the list, and finds the region of a bucket by the answer to a HEAD', async () => {
  const lab = await Lab.start({ buckets: { apples: {}, plums: { region: 'eu-west-1' } } });
  const client = new S3Client({
    ...{ endpoint: lab.gateway.url(), region: 'us-east-1', forcePathStyle: true, credentials: OWNER },
  });
  try {
    const { Buckets, Owner } = await client.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name, BucketRegion }) => [Name, BucketRegion])).toEqual([
      ['apples', 'us-east-1'],
      ['plums', 'eu-west-1'],
    ]);
    expect(Buckets?.[0]?.CreationDate).toEqual(new Date(0));
    expect(Owner?.ID).toBe(OWNER.accessKeyId);
    const failure = await client.send(new HeadBucketCommand({ Bucket: 'plums' })).catch(error => error);
    expect(failure.$response.headers['x-amz-bucket-region']).toBe('eu-west-1');
  } finally {
    client.destroy();
    await lab.stop();
  }
});
