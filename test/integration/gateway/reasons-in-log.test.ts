import { DeleteObjectsCommand, PutBucketPolicyCommand, RestoreObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { accessLogTo } from '../../support/access-log-to.ts';
import { Lab } from '../../support/conformance/lab.ts';
import type { Question } from '../../support/conformance/question.ts';
import { contentMd5 } from '../../support/content-md5.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const writer: Account = {
  accessKeyId: 'writer',
  secretAccessKey: 'writer-secret',
  grants: [
    { actions: ['PutObject', 'GetObject'], keys: ['up/**'] },
    { actions: ['PutBucketPolicy', 'DeleteObject', 'RestoreObject'], keys: ['**', '!private/**'] },
  ],
};

let lab: Lab;
let lines: string[];
const write = (line: string) => void lines.push(line);

beforeEach(async () => {
  lines = [];
  lab = await Lab.start({
    accounts: [OWNER, writer],
    buckets: { box: {} },
    anonymous: {},
    gateway: { accessLog: accessLogTo(write) },
  });
  await lab.store.put('/box');
  await lab.store.put('/box/up/a', 'a');
});
afterEach(() => lab.stop());

const copyTags = { 'copy-source': 'box/up/a', 'tagging-directive': 'COPY' };
const put = (fields: Record<string, string>) => () => ask({ method: 'PUT', path: '/box/up/b', fields });
const get = (path: string) => () => ask({ path });
const ask = async (question: Question) => (await lab.ask({ ...question, as: writer })).text;
const sdk = () => lab.sdk(writer);
const Objects = Array.from({ length: 1001 }, (_, n) => ({ Key: `up/${n}` }));
const noSuchKey = 'the store has no such key (404); without a grant for ListBucket that is told as 403';
const noSuchBucket = 'no bucket of this name is configured';
const OutputLocation = { S3: { BucketName: 'b', Prefix: 'p' } };

it.each<[string, () => Promise<unknown>, number, string]>([
  ['an access control list', put({ acl: 'public-read' }), 403, 'no grant for PutObjectAcl'],
  ['tags', put({ tagging: 'a=b' }), 403, 'no grant for PutObjectTagging'],
  ['the tags of a source', put(copyTags), 403, 'no grant for GetObjectTagging'],
  ['a source', put({ 'copy-source': 'box/in/a' }), 403, 'no grant for GetObject'],
  ['a read', get('/box/in/a'), 403, 'no grant for GetObject'],
  ['the read of a missing key', get('/box/up/none'), 403, noSuchKey],
  ['a missing source', put({ 'copy-source': 'box/up/none' }), 403, noSuchKey],
  ['a bucket that is not configured', get('/none/up/a'), 404, noSuchBucket],
  ['a source in one', put({ 'copy-source': 'none/up/a' }), 404, noSuchBucket],
  ['the read of a version', get('/box/up/a?versionId=1'), 403, 'no grant for GetObjectVersion'],
  ['a listing', get('/box?list-type=2'), 403, 'no grant for ListBucket'],
  [
    'the configuration of a bucket',
    () => sdk().send(new PutBucketPolicyCommand({ Bucket: 'box', Policy: '{}' })),
    ...([403, 'no grant for PutBucketPolicy for all keys'] as const),
  ],
  [
    'a list of deletions',
    () => sdk().send(new DeleteObjectsCommand({ Bucket: 'box', Delete: { Objects } })),
    ...([400, 'there are 1001 objects'] as const),
  ],
  [
    'a restore to another place',
    () =>
      sdk().send(
        new RestoreObjectCommand({ Bucket: 'box', Key: 'up/a', RestoreRequest: { OutputLocation } }),
      ),
    ...([501, 'the result of the restore would be written elsewhere'] as const),
  ],
])('the log tells why %s was refused, and the client is not told', async (_, send, status, reason) => {
  const heard = await send().catch(String);
  expect(heard).not.toContain(reason);
  expect(lines.map(line => JSON.parse(line))).toMatchObject([{ status, reason, caller: 'writer' }]);
});

it('the log tells how many keys of a list were not deleted, though the answer is 200', async () => {
  const deleted = async (...keys: string[]) => {
    lines.length = 0;
    const list = { Objects: keys.map(Key => ({ Key })) };
    await sdk().send(new DeleteObjectsCommand({ Bucket: 'box', Delete: list }));
    return lines.map(line => JSON.parse(line)).map(({ status, refusedKeys }) => [status, refusedKeys]);
  };
  expect(await deleted('up/a', 'private/a', 'private/b')).toEqual([[200, 2]]);
  expect(await deleted('private/a')).toEqual([[200, 1]]);
  expect(await deleted('up/a')).toEqual([[200, undefined]]);
});

it('keys that the store did not delete are among them', async () => {
  const results =
    '<Deleted><Key>a</Key></Deleted><Error><Key>b</Key><Code>InternalError</Code><Message>m</Message></Error>';
  const body = `<DeleteResult>${results}</DeleteResult>`;
  const store = await RawStore.start(socket =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  );
  const accessLog = accessLogTo(write);
  const gateway = await TestGateway.start({ storeUrl: store.url, accessLog });
  const list = '<Delete><Object><Key>a</Key></Object><Object><Key>b</Key></Object></Delete>';
  const headers = { host: 'g', 'content-length': String(list.length), ...contentMd5(list) };
  await rawRequest(gateway.url(), { method: 'POST', path: '/b?delete', body: list, headers });
  await gateway.close();
  await store.close();
  expect(lines.map(line => JSON.parse(line))).toMatchObject([{ status: 200, refusedKeys: 1 }]);
});

it('a missing source that the store tells in an answer of status 200 is one that is not told, and the log says so', async () => {
  const body = '<Error><Code>NoSuchKey</Code><Message>m</Message></Error>';
  const store = await RawStore.start(socket =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  );
  const gateway = await TestGateway.start({
    ...{ storeUrl: store.url, accessLog: accessLogTo(write) },
    allows: (_caller, _bucket, action) => action !== 'ListBucket',
  });
  const headers = { 'content-length': '0', 'x-amz-copy-source': 'b/none' };
  const heard = await gateway.send('PUT', '/b/k', headers);
  await gateway.close();
  await store.close();
  expect(heard.body.toString()).toContain('<Code>AccessDenied</Code>');
  expect(lines.map(line => JSON.parse(line))).toMatchObject([{ code: 'AccessDenied', reason: noSuchKey }]);
});

it('the log gives no reason for what was answered, or refused by the store', async () => {
  await put({})();
  await lab.ask({ path: '/box/none', as: OWNER });
  expect(lines.map(line => JSON.parse(line).reason)).toEqual([undefined, undefined]);
});
