import { PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab } from '../../../support/conformance/lab.ts';
import { agreeBySdk, type SdkRead } from '../../../support/conformance/sdk-reads.ts';

const methods = ['GET', 'HEAD'] as const;

describe('the AWS SDK reads versions and under conditions, through the gateway as from the store', () => {
  const ids: string[] = [];
  let lab: Lab;
  let ETag: string;

  beforeAll(async () => {
    lab = await Lab.start({ buckets: { box: {} } });
    await lab.store.put('/box');
    const versioning = { Bucket: 'box', VersioningConfiguration: { Status: 'Enabled' as const } };
    await lab.store.sdk().send(new PutBucketVersioningCommand(versioning));
    for (const body of ['one', 'two']) {
      const { headers } = await lab.store.put('/box/k', body);
      ids.push(headers['x-amz-version-id'] ?? '');
      ETag = headers.etag ?? '';
    }
    const gone = await lab.store.signed({ method: 'DELETE', path: '/box/gone' });
    ids.push(gone.headers['x-amz-version-id'] ?? '');
  });
  afterAll(() => lab.stop());

  const read = (input: Partial<SdkRead>) => agreeBySdk(lab, { Bucket: 'box', Key: 'k', ...input });

  it('each version is had by its id, and the current one without', async () => {
    for (const [index, body] of ['one', 'two'].entries()) {
      const VersionId = ids[index];
      expect(await read({ VersionId })).toMatchObject({ body, fields: { VersionId } });
    }
    expect(await read({})).toMatchObject({ body: 'two', fields: { VersionId: ids[1] } });
  });

  it('row 98: a malformed id', async () => {
    const fields = { name: 'InvalidArgument', ArgumentName: 'versionId' };
    expect(await read({ VersionId: '?' })).toMatchObject({ status: 400, fields });
  });

  it('row 99: an id of no version of that key', async () => {
    const fields = { name: 'NoSuchVersion', Key: 'gone', VersionId: ids[0] };
    expect(await read({ Key: 'gone', VersionId: ids[0] })).toMatchObject({ status: 404, fields });
  });

  it('rows 101 and 102: a key whose current version is a delete marker', async () => {
    const fields = { name: 'NoSuchKey', Key: 'gone' };
    expect(await read({ Key: 'gone' })).toMatchObject({ status: 404, fields });
    const head = await read({ Key: 'gone', method: 'HEAD' });
    expect(head).toMatchObject({ status: 404, fields: { name: 'NotFound' } });
  });

  it('rows 103 and 104: a delete marker by its id', async () => {
    const marker = { Key: 'gone', VersionId: ids[2] };
    const fields = { name: 'MethodNotAllowed', Method: 'GET', ResourceType: 'DeleteMarker' };
    expect(await read(marker)).toMatchObject({ status: 405, fields });
    expect((await read({ ...marker, method: 'HEAD' })).status).toBe(405);
  });

  const long = new Date('2000-01-01');
  const now = () => new Date(lab.store.clock.nowMs());
  it.each<[string, number, () => Partial<SdkRead>]>([
    ['row 56: If-Match of the tag', 200, () => ({ IfMatch: ETag })],
    ['row 59: If-Match of another', 412, () => ({ IfMatch: '"x"' })],
    ['If-None-Match of the tag', 304, () => ({ IfNoneMatch: ETag })],
    ['If-None-Match of another', 200, () => ({ IfNoneMatch: '"x"' })],
    ['If-Modified-Since before', 200, () => ({ IfModifiedSince: long })],
    ['row 69: If-Modified-Since now', 304, () => ({ IfModifiedSince: now() })],
    ['row 68: If-Unmodified-Since before', 412, () => ({ IfUnmodifiedSince: long })],
    ['If-Unmodified-Since now', 200, () => ({ IfUnmodifiedSince: now() })],
    [
      'row 72: If-Match true, If-Unmodified-Since false',
      200,
      () => ({ IfMatch: ETag, IfUnmodifiedSince: long }),
    ],
    [
      'row 78: If-None-Match false, If-Modified-Since true',
      304,
      () => ({ IfNoneMatch: ETag, IfModifiedSince: long }),
    ],
  ])('%s is %i', async (_name, status, conditions) => {
    for (const method of methods) {
      const answer = await read({ method, ...conditions() });
      expect(answer.status).toBe(status);
      expect(answer.storeRequests.warm).toBe(0);
      if (status === 412 && method === 'GET') expect(answer.fields.name).toBe('PreconditionFailed');
    }
  });
});
