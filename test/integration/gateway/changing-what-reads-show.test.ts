import { createServer } from 'node:http';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectTaggingCommand,
  HeadObjectCommand,
  PutBucketCorsCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectLegalHoldCommand,
  PutObjectRetentionCommand,
  PutObjectTaggingCommand,
  RestoreObjectCommand,
} from '@aws-sdk/client-s3';
import { afterEach, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';
import { listenLocally } from '../../support/listen-locally.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { RawStore } from '../../support/raw-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

/** Tags and restores objects, but no versions of them, and lists none. */
const tagger: Account = {
  accessKeyId: 'tagger',
  secretAccessKey: 'tagger-secret',
  grants: [{ actions: ['PutObjectTagging', 'CreateBucket', 'RestoreObject'] }],
};
/** May do everything, but to some keys. */
const guest: Account = {
  accessKeyId: 'guest',
  secretAccessKey: 'guest-secret',
  grants: [{ actions: ['*'], keys: ['**', '!private/**'] }],
};
const buckets = {
  box: {},
  fresh: {},
  renamed: { bucketAtStore: 'real-name' },
  part: { bucketAtStore: 'box', keyPrefix: 'in/' },
};
const asked = { Bucket: 'box', Key: 'k' };

let lab: Lab | undefined;
afterEach(async () => {
  await lab?.stop();
  lab = undefined;
});

async function start(): Promise<Lab> {
  const started = await Lab.start({ accounts: [OWNER, tagger, guest], buckets, gateway: { workers: 2 } });
  lab = started;
  await started.store.put('/box', '', { 'x-amz-bucket-object-lock-enabled': 'true' });
  return started;
}

/** What both workers have read of an object, so that they know it. */
async function headers(of: Lab, path: string, sent: Record<string, string> = {}) {
  const replies = [];
  for (const worker of [0, 1, 0, 1]) replies.push(await of.ask({ path, headers: sent }, worker));
  return replies.map(
    (reply): Record<string, string> => ({ ...reply.headers, ...reply.fields, status: String(reply.status) }),
  );
}

/** The values of one header at all workers, each only once. */
async function shown(of: Lab, name: string, path = '/box/k', sent: Record<string, string> = {}) {
  return [...new Set((await headers(of, path, sent)).map(each => each[name]))];
}

describe('what is said of an object is read at once by every worker', () => {
  it('tags', async () => {
    const of = await start();
    await of.store.put('/box/k', 'k');
    expect(await shown(of, 'tagging-count')).toEqual([undefined]);
    const Tagging = { TagSet: [{ Key: 'a', Value: 'b' }] };
    await of.sdk().send(new PutObjectTaggingCommand({ ...asked, Tagging }));
    expect(await shown(of, 'tagging-count')).toEqual(['1']);
    await of.sdk().send(new DeleteObjectTaggingCommand(asked));
    expect(await shown(of, 'tagging-count')).toEqual([undefined]);
  });

  it('locks', async () => {
    const of = await start();
    await of.store.put('/box/k', 'k');
    expect(await shown(of, 'object-lock-mode')).toEqual([undefined]);
    const RetainUntilDate = new Date(of.store.clock.nowMs() + 86_400_000);
    await of
      .sdk()
      .send(new PutObjectRetentionCommand({ ...asked, Retention: { Mode: 'GOVERNANCE', RetainUntilDate } }));
    expect(await shown(of, 'object-lock-mode')).toEqual(['GOVERNANCE']);
    expect(await shown(of, 'object-lock-legal-hold')).toEqual([undefined]);
    await of.sdk().send(new PutObjectLegalHoldCommand({ ...asked, LegalHold: { Status: 'ON' } }));
    expect((await of.sdk().send(new HeadObjectCommand(asked))).ObjectLockLegalHoldStatus).toBe('ON');
  });

  it('a restore out of the archive', async () => {
    const of = await start();
    await of.store.put('/box/k', 'k', { 'x-amz-storage-class': 'GLACIER' });
    const restoreOf = async () => (await of.sdk().send(new HeadObjectCommand(asked))).Restore;
    expect(await restoreOf()).toBeUndefined();
    const answer = await of.sdk().send(new RestoreObjectCommand({ ...asked, RestoreRequest: { Days: 1 } }));
    expect(answer.$metadata.httpStatusCode).toBe(202);
    expect(await restoreOf()).toBe('ongoing-request="true"');
  });

  it('a restore that an operator asks for, by the button of a card', async () => {
    const of = await start();
    await of.store.put('/box/k', 'k', { 'x-amz-storage-class': 'GLACIER' });
    const restores = async () => {
      const heads = [];
      for (const worker of [0, 1]) heads.push(await of.ask({ method: 'HEAD', path: '/box/k' }, worker));
      return heads.map(({ fields }) => fields.restore);
    };
    expect(await restores()).toEqual([undefined, undefined]);
    const request = { bucket: 'box', key: 'k', days: 1, tier: 'Standard' } as const;
    expect(await of.gateway.gateways[0]?.restore(request)).toEqual({ kind: 'begun' });
    expect(await restores()).toEqual(['ongoing-request="true"', 'ongoing-request="true"']);
  });

  it('the rules of its bucket for other origins', async () => {
    const of = await start();
    await of.store.put('/box/k', 'k');
    const origin = { origin: 'https://page.test' };
    const allowed = 'access-control-allow-origin';
    expect(await shown(of, allowed, '/box/k', origin)).toEqual([undefined]);
    const CORSRules = [{ AllowedMethods: ['GET'], AllowedOrigins: ['https://page.test'] }];
    await of.sdk().send(new PutBucketCorsCommand({ Bucket: 'box', CORSConfiguration: { CORSRules } }));
    expect(await shown(of, allowed, '/box/k', origin)).toEqual(['https://page.test']);
  });

  it('that its bucket is gone, and is there again', async () => {
    const of = await start();
    const codes = async () => {
      const replies = [];
      for (const worker of [0, 1]) replies.push(await of.ask({ path: '/fresh/k' }, worker));
      return [...new Set(replies.map(({ error }) => error?.code))];
    };
    expect(await codes()).toEqual(['NoSuchBucket']);
    const made = await of.sdk().send(new CreateBucketCommand({ Bucket: 'fresh' }));
    expect(made.Location).toBe('/fresh');
    expect(await codes()).toEqual(['NoSuchKey']);
    await of.sdk().send(new DeleteBucketCommand({ Bucket: 'fresh' }));
    expect(await codes()).toEqual(['NoSuchBucket']);
  });
});

it('a refusal of the store has changed nothing', async () => {
  const of = await start();
  await of.store.put('/box/k', 'k');
  await of.ask({ path: '/box/k' });
  await expect(of.sdk().send(new DeleteBucketCommand({ Bucket: 'box' }))).rejects.toThrow();
  expect((await of.ask({ path: '/box/k' })).headers['x-cache']).toBe('HIT');
});

it('an access control list is passed in fields, and in a document', async () => {
  const of = await start();
  await of.store.put('/box/k', 'k');
  await of.sdk().send(new PutObjectAclCommand({ ...asked, ACL: 'public-read' }));
  expect((await of.askStore({ path: '/box/k?acl' })).text).toContain('AllUsers');
});

it('the tags of a version are for who may tag versions', async () => {
  const of = await start();
  await of.store.put('/box/k', 'k');
  const tag = { ...asked, Tagging: { TagSet: [] } };
  const sdk = of.sdk(tagger);
  await sdk.send(new PutObjectTaggingCommand(tag));
  await expect(sdk.send(new PutObjectTaggingCommand({ ...tag, VersionId: 'null' }))).rejects.toThrow(
    'Access Denied',
  );
});

it('who may make a bucket may not for that reason publish it', async () => {
  const of = await start();
  const make = (more: object) => of.sdk(tagger).send(new CreateBucketCommand({ Bucket: 'fresh', ...more }));
  await expect(make({ ACL: 'public-read' })).rejects.toThrow('Access Denied');
  await expect(make({ ObjectLockEnabledForBucket: true })).rejects.toThrow('Access Denied');
});

it('a bucket with another name at the store is made, and told of, by its name here', async () => {
  const of = await start();
  const made = await of.ask({ path: '/renamed', method: 'PUT' });
  expect([made.status, made.headers.location]).toEqual([200, '/renamed']);
  expect((await of.askStore({ path: '/real-name', method: 'HEAD' })).status).toBe(200);
});

it('a part of another bucket is neither made, configured nor removed', async () => {
  const of = await start();
  const before = await of.requests();
  for (const [method, path] of [
    ['PUT', '/part'],
    ['DELETE', '/part'],
    ['PUT', '/part?versioning'],
    ['DELETE', '/part?cors'],
  ] as const)
    expect(await of.ask({ method, path })).toMatchObject({ status: 501, error: { code: 'NotImplemented' } });
  expect(await of.requests()).toBe(before);
  expect((await of.ask({ method: 'HEAD', path: '/part' })).status).toBe(200);
});

it('a restore that would write its result to another place is refused', async () => {
  const of = await start();
  await of.store.put('/box/k', 'k', { 'x-amz-storage-class': 'GLACIER' });
  const before = await of.requests();
  const post = (body: string) =>
    rawRequest(of.gateway.url(), { method: 'POST', path: '/box/k?restore', body, headers: { host: 'g' } });
  const output = '<OutputLocation><S3><BucketName>b</BucketName></S3></OutputLocation>';
  const answers = [
    await post(`<RestoreRequest>${output}</RestoreRequest>`),
    await post(`<RestoreRequest xmlns:a="a"><a:Type>SELECT</a:Type></RestoreRequest>`),
    await post('<RestoreRequest>'),
    await post(' '.repeat(70_000)),
  ];
  expect(answers.map(({ status, text }) => [status, /<Code>(.*?)</.exec(text)?.[1]])).toEqual([
    [501, 'NotImplemented'],
    [400, 'MalformedXML'],
    [400, 'MalformedXML'],
    [400, 'MalformedXML'],
  ]);
  expect(await of.requests()).toBe(before);
});

it.each([
  ['a comment', '<RestoreRequest><!-- <Days>9</Days> --><Days>1</Days></RestoreRequest>'],
  ['a section of text', '<RestoreRequest><Days><![CDATA[1]]></Days></RestoreRequest>'],
  [
    'a declaration',
    '<?xml version="1.0"?>\n<RestoreRequest xmlns="urn:other">\n <Days>1</Days></RestoreRequest>',
  ],
])('the store is sent a body of the gateway’s own for a restore with %s', async (_, sent) => {
  const bodies: string[] = [];
  const store = createServer(async (request, response) => {
    bodies.push((await request.toArray()).join(''));
    response.writeHead(202).end();
  });
  const gateway = await TestGateway.start({ storeUrl: await listenLocally(store) });
  const headers = { host: 'g', 'content-length': String(sent.length) };
  const reply = await rawRequest(gateway.url(), {
    method: 'POST',
    path: '/b/k?restore',
    body: sent,
    headers,
  });
  await gateway.close();
  await new Promise(resolve => store.close(resolve));
  expect(reply.status).toBe(202);
  const plain =
    '<RestoreRequest xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Days>1</Days></RestoreRequest>';
  expect(bodies).toEqual([plain]);
});

it('a restore tells which keys are missing only to those who may list them', async () => {
  const of = await start();
  const missing = { Bucket: 'box', Key: 'none', RestoreRequest: { Days: 1 } };
  const codeFor = (account: Account) =>
    of
      .sdk(account)
      .send(new RestoreObjectCommand(missing))
      .catch(({ name }) => name);
  expect([await codeFor(OWNER), await codeFor(tagger)]).toEqual(['NoSuchKey', 'AccessDenied']);
});

it('a document that is not what was declared reaches no store whole', async () => {
  const of = await start();
  const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
  const headers = { host: 'g', 'x-amz-checksum-crc32': 'AAAAAA==' };
  const put = { method: 'PUT', path: '/box?versioning', body, headers };
  expect((await rawRequest(of.gateway.url(), put)).text).toContain('BadDigest');
  await of
    .sdk()
    .send(new PutBucketVersioningCommand({ Bucket: 'box', VersioningConfiguration: { Status: 'Enabled' } }));
  expect((await of.askStore({ path: '/box?versioning' })).text).toContain('Enabled');
});

it('the events of SelectObjectContent come as they are, and nothing is forgotten for them', async () => {
  const events = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const head = 'HTTP/1.1 200 OK\r\netag: "e"\r\n';
  const store = await RawStore.start((socket, request) => {
    if (request.startsWith('GET')) socket.write(`${head}content-length: 2\r\n\r\nok`);
    else if (request.startsWith('POST')) {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n100\r\n`);
      socket.write(events);
      socket.write('\r\n0\r\n\r\n');
    }
  });
  const gateway = await TestGateway.start({ storeUrl: store.url });
  await gateway.get('/b/k');
  const select = await rawRequest(gateway.url(), {
    ...{ method: 'POST', path: '/b/k?select&select-type=2', body: '<SelectObjectContentRequest/>' },
    headers: { host: 'g' },
  });
  expect(select.status).toBe(200);
  expect(select.body.equals(events)).toBe(true);
  expect((await gateway.get('/b/k')).headers['x-cache']).toBe('HIT');
  await gateway.close();
  await store.close();
});

it('the configuration of a bucket is for who may do so to all its keys', async () => {
  const of = await start();
  const before = await of.requests();
  const rule = { AllowedMethods: ['GET'], AllowedOrigins: ['*'] };
  const command = () => new PutBucketCorsCommand({ Bucket: 'box', CORSConfiguration: { CORSRules: [rule] } });
  await expect(of.sdk(guest).send(command())).rejects.toMatchObject({ name: 'AccessDenied' });
  await expect(of.sdk(guest).send(new DeleteBucketCommand({ Bucket: 'box' }))).rejects.toMatchObject({
    name: 'AccessDenied',
  });
  expect(await of.requests()).toBe(before);
  expect((await of.sdk().send(command())).$metadata.httpStatusCode).toBe(200);
});
