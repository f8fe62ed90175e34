import { createHash } from 'node:crypto';
import { DeleteObjectCommand, type DeleteObjectCommandInput, DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { afterEach, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import type { Bucket } from '../../../src/gateway/request/bucket.ts';
import { codedTag } from '../../../src/http/content-coding.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { contentMd5 } from '../../support/content-md5.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';
import { defaultPolicy } from '../../support/worker-gateway.ts';

let lab: Lab;
let isStarted = false;
afterEach(async () => {
  if (isStarted) await lab.stop();
  isStarted = false;
});

const clerk: Account = {
  accessKeyId: 'clerk',
  secretAccessKey: 'clerk-secret',
  grants: [{ actions: ['DeleteObject'], keys: ['mine/**'] }, { actions: ['GetObject'] }],
};
const reader: Account = {
  accessKeyId: 'reader',
  secretAccessKey: 'reader-secret',
  grants: [{ actions: ['GetObject'] }],
};
const buckets = {
  box: {},
  part: { bucketAtStore: 'box', keyPrefix: 'in/' },
  paths: { bucketAtStore: 'box', keys: 'path' as const },
};

async function startLab(workers = 1, box: Partial<Bucket> = {}) {
  const accounts = [OWNER, clerk, reader];
  lab = await Lab.start({ accounts, buckets: { ...buckets, box }, gateway: { workers } });
  isStarted = true;
  await lab.store.put('/box');
}

const listed = (...keys: readonly string[]) =>
  `<Delete>${keys.map(key => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`;

const isDigested = (headers: Record<string, string>) =>
  Object.keys(headers).some(name => name === 'content-md5' || name.startsWith('x-amz-checksum-'));

async function post(path: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const lengths = { 'content-length': String(body.length) };
  const host = new URL(lab.gateway.url()).host;
  const reply = await rawRequest(lab.gateway.url(), {
    method: 'POST',
    path,
    headers: { host, ...lengths, ...(isDigested(headers) ? {} : contentMd5(body)), ...headers },
    body,
  });
  return { status: reply.status, text: reply.text, code: /<Code>(.*?)<\/Code>/.exec(reply.text)?.[1] };
}

const deletes = (
  Objects: { Key: string; VersionId?: string; ETag?: string; Size?: number }[],
  Quiet = false,
  Bucket = 'box',
) => new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet } });

it('the SDK deletes what was read before, and no worker shows it any more', async () => {
  await startLab(2);
  for (const key of ['a&b', 'c', 'd']) await lab.store.put(`/box/${encodeURIComponent(key)}`, key);
  for (const worker of [0, 1])
    for (const key of ['a&b', 'c', 'd'])
      expect((await lab.ask({ path: `/box/${encodeURIComponent(key)}` }, worker)).text).toBe(key);
  const answer = await lab.sdk().send(deletes([{ Key: 'a&b' }, { Key: 'c' }, { Key: 'never there' }]));
  expect(answer.Deleted?.map(({ Key }) => Key)).toEqual(['a&b', 'c', 'never there']);
  for (const worker of [0, 1]) {
    expect((await lab.ask({ path: '/box/a%26b' }, worker)).status).toBe(404);
    expect((await lab.ask({ path: '/box/c' }, worker)).status).toBe(404);
    expect((await lab.ask({ path: '/box/d' }, worker)).text).toBe('d');
  }
});

it.each([false, true])('keys that the caller may not delete come back as errors (quiet: %s)', async quiet => {
  await startLab();
  for (const key of ['mine/1', 'theirs/1']) await lab.store.put(`/box/${key}`, key);
  const answer = await lab
    .sdk(clerk)
    .send(deletes([{ Key: 'theirs/1' }, { Key: 'mine/1' }, { Key: 'mine/1', VersionId: 'null' }], quiet));
  expect(answer.Deleted?.map(({ Key }) => Key)).toEqual(quiet ? undefined : ['mine/1']);
  expect(answer.Errors).toEqual([
    { Key: 'theirs/1', Code: 'AccessDenied', Message: 'Access Denied' },
    { Key: 'mine/1', VersionId: 'null', Code: 'AccessDenied', Message: 'Access Denied' },
  ]);
  expect((await lab.ask({ path: '/box/theirs/1' })).text).toBe('theirs/1');
  expect((await lab.ask({ path: '/box/mine/1' })).status).toBe(404);
});

it('the embedded store deletes on condition', async () => {
  await startLab();
  await lab.store.put('/box/k', 'content');
  const sdk = lab.sdk();
  const codeOf = (sent: Promise<unknown>) => sent.then(() => 'done').catch(({ name }) => name);
  const remove = (more: Partial<DeleteObjectCommandInput>) =>
    codeOf(sdk.send(new DeleteObjectCommand({ Bucket: 'box', Key: 'k', ...more })));
  expect(await remove({ IfMatch: '"other"' })).toBe('PreconditionFailed');
  expect(await remove({ IfMatchSize: 7 })).toBe('NotImplemented');
  expect(await remove({ IfMatch: '*', Key: 'none' })).toBe('NoSuchKey');
  const several = await sdk.send(
    deletes([
      { Key: 'k', ETag: '"other"' },
      { Key: 'k', Size: 7 },
    ]),
  );
  expect(several.Errors?.map(({ Code }) => Code)).toEqual(['PreconditionFailed', 'NotImplemented']);
  const { headers } = await lab.ask({ path: '/box/k' });
  expect(await remove({ IfMatch: headers.etag })).toBe('done');
  expect((await lab.ask({ path: '/box/k' })).status).toBe(404);
});

it('who may not list is not told which keys a condition has not found', async () => {
  await startLab();
  const answer = await lab.sdk(clerk).send(deletes([{ Key: 'mine/none', ETag: '"1"' }]));
  expect(answer.Errors?.map(({ Code }) => Code)).toEqual(['AccessDenied']);
});

it('the tag of what was made of an object stands for the object', async () => {
  const compress = {
    codings: ['br'],
    types: ['text/*'],
    minSizeBytes: 1,
    maxSizeBytes: 9,
    signed: true,
  } as const;
  await startLab(1, {
    rulesFor: key => ({ cache: defaultPolicy, ...(key.startsWith('made/') && { compress }) }),
  });
  const tags: string[] = [];
  for (const key of ['made/k', 'k']) {
    await lab.store.put(`/box/${key}`, key);
    tags.push(codedTag((await lab.ask({ path: `/box/${key}` })).headers.etag ?? '', 'br'));
  }
  const [ETag = '', other = ''] = tags;
  const { Deleted, Errors } = await lab.sdk().send(
    deletes([
      { Key: 'made/k', ETag },
      { Key: 'k', ETag: other },
    ]),
  );
  expect(Deleted?.map(({ Key }) => Key)).toEqual(['made/k']);
  expect(Errors?.map(({ Key, Code }) => [Key, Code])).toEqual([['k', 'PreconditionFailed']]);
});

it('nothing is sent to the store where no key is left', async () => {
  await startLab();
  const before = await lab.requests();
  const answer = await lab.sdk(reader).send(deletes([{ Key: 'mine/1' }]));
  expect(answer.Errors?.map(({ Code }) => Code)).toEqual(['AccessDenied']);
  expect(await lab.requests()).toBe(before);
});

it('who may delete objects may not for that reason pass over their locks', async () => {
  await startLab();
  const bypass = new DeleteObjectsCommand({
    ...{ Bucket: 'box', BypassGovernanceRetention: true },
    Delete: { Objects: [{ Key: 'mine/1' }] },
  });
  expect((await lab.sdk(clerk).send(bypass)).Errors?.map(({ Code }) => Code)).toEqual(['AccessDenied']);
});

it('versions are deleted by who may delete versions', async () => {
  await startLab();
  await lab.store.put('/box/k', 'one');
  const answer = await lab.sdk().send(deletes([{ Key: 'k', VersionId: 'null' }]));
  expect(answer.Deleted).toEqual([{ Key: 'k', VersionId: 'null' }]);
});

it('keys of a bucket with a prefix are mapped both ways, and others are out of reach', async () => {
  await startLab();
  for (const key of ['in/k', 'k']) await lab.store.put(`/box/${key}`, key);
  expect((await lab.ask({ path: '/part/k' })).text).toBe('in/k');
  const answer = await lab.sdk().send(deletes([{ Key: 'k' }], false, 'part'));
  expect(answer.Deleted).toEqual([{ Key: 'k' }]);
  expect((await lab.ask({ path: '/part/k' })).status).toBe(404);
  expect((await lab.askStore({ path: '/box/in/k' })).status).toBe(404);
  expect((await lab.askStore({ path: '/box/k' })).text).toBe('k');
});

it('a spelling that a store of paths takes for another key is refused alone', async () => {
  await startLab();
  await lab.store.put('/box/k', 'k');
  const answer = await lab
    .sdk()
    .send(deletes([{ Key: 'a/../k' }, { Key: 'k', VersionId: '../x' }, { Key: 'gone' }], false, 'paths'));
  expect(answer.Errors?.map(({ Key, Code }) => [Key, Code])).toEqual([
    ['a/../k', 'InvalidArgument'],
    ['k', 'InvalidArgument'],
  ]);
  expect(answer.Deleted?.map(({ Key }) => Key)).toEqual(['gone']);
  expect((await lab.ask({ path: '/box/k' })).text).toBe('k');
});

it.each([
  ['no XML', 'Delete'],
  ['another document', '<Remove/>'],
  ['an object without a key', '<Delete><Object/></Delete>'],
  ['two keys of one object', '<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>'],
  ['an unknown element', '<Delete><Object><Key>a</Key><IfOlder>1</IfOlder></Object></Delete>'],
  ['an entity', '<!DOCTYPE d [<!ENTITY e "k">]><Delete><Object><Key>&e;</Key></Object></Delete>'],
  ['no UTF-8', Buffer.from(listed('\xff'), 'latin1')],
  ['1001 objects', listed(...Array.from({ length: 1001 }, (_, index) => `k${index}`))],
  ['more than 2 MiB', `${listed('k')}${' '.repeat(2 * 1024 * 1024)}`],
])('a body is refused that has %s', async (_, body) => {
  await startLab();
  const before = await lab.requests();
  expect(await post('/box?delete', body)).toMatchObject({ status: 400, code: 'MalformedXML' });
  expect(await lab.requests()).toBe(before);
});

it('a list of no objects is left to the store', async () => {
  await startLab();
  const before = await lab.requests();
  await post('/box?delete', '<Delete><Quiet>true</Quiet></Delete>');
  expect(await lab.requests()).toBe(before + 1);
});

it('a thousand keys are deleted at once', async () => {
  await startLab();
  const keys = Array.from({ length: 1000 }, (_, index) => `k${index}`);
  const { status, text } = await post('/box?delete', listed(...keys));
  expect([status, text.match(/<Deleted>/g)?.length]).toEqual([200, 1000]);
});

it('a body of which no digest is declared is refused unread', async () => {
  await startLab();
  await lab.store.put('/box/k', 'kept');
  const headers = { host: 'g', 'content-length': '2000', expect: '100-continue' };
  const { status, text } = await rawRequest(lab.gateway.url(), {
    method: 'POST',
    path: '/box?delete',
    headers,
  });
  expect(status).toBe(400);
  expect(text).toContain(
    '<Code>InvalidRequest</Code><Message>Missing required header for this request: Content-MD5 OR x-amz-checksum-*<',
  );
  expect((await lab.ask({ path: '/box/k' })).text).toBe('kept');
});

it('a body that is not what was declared deletes nothing', async () => {
  await startLab();
  await lab.store.put('/box/k', 'k');
  const md5 = createHash('md5').update('something else').digest('base64');
  expect((await post('/box?delete', listed('k'), { 'content-md5': md5 })).code).toBe('BadDigest');
  expect((await post('/box?delete', listed('k'), { 'x-amz-checksum-crc32': 'AAAAAA==' })).code).toBe(
    'BadDigest',
  );
  expect((await lab.ask({ path: '/box/k' })).text).toBe('k');
});

it('a caller without a signature who may delete nothing is refused before its body is read', async () => {
  lab = await Lab.start({
    buckets: { box: {} },
    anonymous: { box: [{ actions: ['*'], keys: ['**'] }] },
  });
  isStarted = true;
  await lab.store.put('/box');
  expect(await post('/box?delete', 'no XML')).toMatchObject({ status: 403, code: 'AccessDenied' });
});

it.each([
  ['a result of another bucket', '<Deleted><Key>elsewhere/k</Key></Deleted>'],
  ['a result without a key', '<Deleted/>'],
])('an answer that has %s is not passed on', async (_, results) => {
  const body = `<DeleteResult>${results}</DeleteResult>`;
  const store = await RawStore.start(socket =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  );
  const gateway = await TestGateway.start({ storeUrl: store.url, buckets: { b: { keyPrefix: 'in/' } } });
  const asked = { method: 'POST', path: '/b?delete', body: listed('k') };
  const headers = { host: 'gateway', 'content-length': String(asked.body.length), ...contentMd5(asked.body) };
  expect((await rawRequest(gateway.url(), { ...asked, headers })).status).toBe(502);
  await gateway.close();
  await store.close();
});

it('what the store says of a key names nothing that the client does not know', async () => {
  const said =
    '<DeleteResult><Error><Key>in/k</Key><Code>InternalError</Code><Message>real/in/k is busy</Message><Path>real</Path></Error></DeleteResult>';
  const store = await RawStore.start(socket =>
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${said.length}\r\n\r\n${said}`),
  );
  const bucket = { bucketAtStore: 'real', keyPrefix: 'in/' };
  const gateway = await TestGateway.start({ storeUrl: store.url, buckets: { b: bucket } });
  const body = listed('k');
  const headers = { host: 'gateway', 'content-length': String(body.length), ...contentMd5(body) };
  const { text } = await rawRequest(gateway.url(), { method: 'POST', path: '/b?delete', body, headers });
  expect(text).toContain('<Key>k</Key><Code>InternalError</Code><Message>We encountered');
  expect(text).not.toMatch(/real|in\//);
  await gateway.close();
  await store.close();
});

it.each([
  ['an error of the store', '<Error><Key>k</Key><Code>InternalError</Code></Error>', 'REVALIDATED'],
  ['an unknown error', '<Error><Key>k</Key><Code>Odd</Code></Error>', 'REVALIDATED'],
  ['nothing that can be read', '<Deleted>', 'REVALIDATED'],
  ['a refusal', '<Error><Key>k</Key><Code>AccessDenied</Code></Error>', 'HIT'],
])('law 5: a deletion that is answered with %s', async (_, results, cache) => {
  const object = 'HTTP/1.1 200 OK\r\netag: "a"\r\ncontent-length: 3\r\n\r\n';
  const said = `<DeleteResult>${results}</DeleteResult>`;
  const store = await RawStore.start((socket, request) => {
    if (request.startsWith('POST'))
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${said.length}\r\n\r\n${said}`);
    else socket.write(object + (request.startsWith('GET') ? 'old' : ''));
  });
  const gateway = await TestGateway.start({ storeUrl: store.url });
  const cacheOf = async () => (await gateway.get('/b/k')).headers['x-cache'];
  expect([await cacheOf(), await cacheOf()]).toEqual(['MISS', 'HIT']);
  const body = listed('k');
  const headers = { host: 'gateway', 'content-length': String(body.length), ...contentMd5(body) };
  await rawRequest(gateway.url(), { method: 'POST', path: '/b?delete', body, headers });
  await cacheOf();
  expect(await cacheOf()).toBe(cache);
  await gateway.close();
  await store.close();
});
