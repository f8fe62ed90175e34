import { PutBucketRequestPaymentCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import type { Question } from '../../support/conformance/question.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';

const kibibyte = 1024;

const account = (accessKeyId: string, more: Partial<Account>): Account => ({
  accessKeyId,
  secretAccessKey: `${accessKeyId}-secret`,
  ...more,
});
const reader = account('reader', { grants: [{ actions: ['GetObject', 'GetObjectVersion'] }] });
const listerOfA = account('lister', {
  grants: [{ actions: ['GetObject'] }, { actions: ['ListBucket'], keys: ['a/**', '!a/hidden/**'] }],
});
const elsewhere = account('elsewhere', { grants: [{ actions: ['*'], buckets: ['public-box'] }] });
const ownerId = '999988887777';
const denied = { status: 403, error: { code: 'AccessDenied', message: 'Access Denied', fields: {} } };
const missing = (key: string) => ({
  status: 404,
  error: { code: 'NoSuchKey', message: 'The specified key does not exist.', fields: { Key: key } },
});

describe.each(crossedDialects)('docs/semantics.md, section 5: $client before $store, $over', dialects => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      dialects,
      accounts: [OWNER, reader, listerOfA, elsewhere],
      store: { ownerId },
      buckets: { 'private-box': {}, 'public-box': {}, nowhere: {} },
      anonymous: {
        'private-box': [{ actions: ['GetObject'], keys: ['open'] }],
        'public-box': [{ actions: ['ListBucket'], keys: ['**'] }],
      },
    });
    await lab.store.put('/private-box');
    await lab.store.put('/private-box/open', 'open', { 'x-amz-acl': 'public-read' });
    await lab.store.put('/private-box/closed', 'closed');
    await lab.store.put('/public-box', '', { 'x-amz-acl': 'public-read' });
    await lab.store.put('/public-box/closed', 'closed');
  });
  afterAll(() => lab.stop());

  const ask = (path: string, more: Partial<Question> = {}) => lab.agree({ path, ...more });

  it('row 111: a missing key, to those who may list, is remembered as missing', async () => {
    const { reply, cache } = await ask('/private-box/none');
    expect(reply).toMatchObject(missing('none'));
    expect(cache).toMatchObject({ cold: 'MISS', again: 'HIT', 'after GET': 'HIT' });
  });

  it('row 112: a missing key, to those who may not list, is forbidden', async () => {
    expect((await ask('/private-box/none', { as: reader })).reply).toMatchObject(denied);
  });

  it.each([
    ['a/x', missing('a/x')],
    ['b/x', denied],
    ['a/hidden/x', denied],
  ])('row 113: with ListBucket for a/ only, %s', async (key, expected) => {
    expect((await ask(`/private-box/${key}`, { as: listerOfA })).reply).toMatchObject(expected);
  });

  it('row 114: HEAD of a missing key has no body', async () => {
    const head = { method: 'HEAD' };
    const lister = await ask('/private-box/none', head);
    expect(lister.reply).toMatchObject({ status: 404, text: '' });
    expect(lister.cache).toMatchObject({ again: 'HIT', 'after GET': 'HIT' });
    expect((await ask('/private-box/none', { ...head, as: reader })).reply).toMatchObject({
      status: 403,
      text: '',
    });
  });

  it('rows 115 to 117: anonymous callers read, miss and list as they were granted', async () => {
    const asNobody = (path: string) => lab.ask({ path, as: 'anonymous' });
    expect(await asNobody('/private-box/open')).toMatchObject({ status: 200, text: 'open' });
    expect(await asNobody('/public-box/closed')).toMatchObject(denied);
    expect(await asNobody('/public-box/none')).toMatchObject(missing('none'));
    expect(await asNobody('/private-box/none')).toMatchObject(denied);
  });

  it('rows 118 and 119: a missing bucket is told to anybody', async () => {
    const error = {
      code: 'NoSuchBucket',
      message: 'The specified bucket does not exist',
      fields: { BucketName: 'unknown' },
    };
    const anonymous = { as: 'anonymous' as const, fields: { 'checksum-mode': 'ENABLED' } };
    expect((await ask('/unknown/k')).reply).toMatchObject({ status: 404, error });
    expect((await ask('/unknown/k', anonymous)).reply).toMatchObject({ status: 404, error });
  });

  it('row 119: a bucket that the store does not have is a missing bucket', async () => {
    const { reply } = await ask('/nowhere/k', { as: reader });
    expect(reply.error).toMatchObject({ code: 'NoSuchBucket', fields: { BucketName: 'nowhere' } });
  });

  it('row 120: HEAD of a missing bucket has no body', async () => {
    const { reply } = await ask('/unknown/k', { method: 'HEAD' });
    expect(reply).toMatchObject({ status: 404, text: '' });
  });

  it('row 123: the expected owner is served, from the cache as well, and no other is', async () => {
    const expecting = (owner: string) => ({ fields: { 'expected-bucket-owner': owner } });
    const { reply, cache } = await ask('/private-box/open', expecting(ownerId));
    expect(reply.status).toBe(200);
    expect(cache.again).toBe('HIT');
    const other = await ask('/private-box/open', expecting('111111111111'));
    expect(other.reply).toMatchObject(denied);
    expect(other.cache).toMatchObject({ again: 'MISS', 'after GET': 'MISS' });
  });

  it.each(['abcd', '12345', '1234567890123'])('row 124: %s is no account', async value => {
    const { reply } = await ask('/private-box/open', { fields: { 'expected-bucket-owner': value } });
    expect(reply).toMatchObject({
      status: 400,
      error: {
        code: 'InvalidBucketOwnerAWSAccountID',
        message: `The value of the expected bucket owner parameter must be an AWS Account ID... [${value}]`,
      },
    });
  });

  it('grants hold for their buckets only', async () => {
    expect((await ask('/private-box/closed', { as: elsewhere })).reply).toMatchObject(denied);
    expect((await ask('/public-box/closed', { as: elsewhere })).reply).toMatchObject({ status: 200 });
  });
});

describe('docs/semantics.md, section 5: who pays', () => {
  const requester = account('requester', { accountId: '111122223333' });
  const consent = { fields: { 'request-payer': 'requester' } };
  let lab: Lab;

  const putPaid = async ({ store }: Lab) => {
    await store.put('/paid');
    await store.put('/paid/k', 'paid', { 'x-amz-acl': 'public-read' });
    await store.put('/paid/large', Buffer.alloc(64 * kibibyte, 'l'), { 'x-amz-acl': 'public-read' });
    const payment = { RequestPaymentConfiguration: { Payer: 'Requester' as const } };
    await store.sdk().send(new PutBucketRequestPaymentCommand({ Bucket: 'paid', ...payment }));
  };

  beforeAll(async () => {
    lab = await Lab.start({
      accounts: [OWNER, requester],
      gatewayIs: requester,
      gateway: { policy: { blockSizeBytes: 4 * kibibyte } },
      buckets: { paid: {} },
      anonymous: { paid: [{ actions: ['GetObject'], keys: ['**'] }] },
    });
    await putPaid(lab);
  });
  afterAll(() => lab.stop());

  it.each(['GET', 'HEAD'])('row 125: %s without consent is refused, however warm the cache', async method => {
    await lab.ask({ path: '/paid/k', as: requester, ...consent });
    const reply = await lab.ask({ path: '/paid/k', method, as: requester });
    expect(reply.status).toBe(403);
    if (method === 'GET') expect(reply).toMatchObject(denied);
    expect(reply.text === '').toBe(method === 'HEAD');
  });

  it('row 126: anonymous callers cannot pay, and nobody pays for them', async () => {
    await lab.ask({ path: '/paid/k', as: requester, ...consent });
    const before = await lab.requests();
    expect(await lab.ask({ path: '/paid/k', as: 'anonymous', ...consent })).toMatchObject(denied);
    expect(await lab.requests()).toBe(before + 1);
  });

  it.each(['/paid/k?tagging', '/paid?list-type=2', '/paid?location'])(
    'row 126: nor do they for %s, which is passed to the store',
    async path => {
      const lending = await Lab.start({
        accounts: [OWNER, requester],
        gatewayIs: requester,
        buckets: { paid: {} },
        anonymous: { paid: [{ actions: ['*'], keys: ['**'] }] },
      });
      await putPaid(lending);
      await lending.store.signed({
        method: 'PUT',
        path: '/paid?acl',
        headers: { 'x-amz-acl': 'public-read' },
      });
      const asked = { path, as: requester, ...consent };
      expect(await lending.ask(asked)).toMatchObject({ status: 200 });
      const joined = `${path}&x-amz-request-payer=requester`;
      for (const question of [asked, { ...asked, path: joined }, { path: joined }])
        expect(await lending.ask({ ...question, as: 'anonymous' }), question.path).toMatchObject(denied);
      await lending.stop();
    },
  );

  it.each(['GET', 'HEAD'])('row 127: %s with consent is charged when the store was asked', async method => {
    const question = { path: '/paid/k', method, as: requester, ...consent };
    const { fields } = await lab.askStore(question);
    expect(fields['request-charged']).toBe('requester');
    lab.forget();
    const cold = await lab.ask(question);
    expect(cold).toMatchObject({ status: 200, headers: { 'x-cache': 'MISS' } });
    expect(cold.fields['request-charged']).toBe('requester');
    const warm = await lab.ask(question);
    expect(warm).toMatchObject({ status: 200, headers: { 'x-cache': 'HIT' } });
    expect(warm.fields['request-charged']).toBeUndefined();
  });

  const block = (index: number) => ({
    range: `bytes=${4 * kibibyte * index}-${4 * kibibyte * (index + 1) - 1}`,
  });
  it.each([
    ['a GET after a HEAD', { method: 'HEAD' }, {}, [200, 'MISS', 1]],
    ['a range after another', { headers: block(0) }, { headers: block(5) }, [206, 'MISS', 1]],
    ['the same range again', { headers: block(0) }, { headers: block(0) }, [206, 'HIT', 0]],
    ['all of what is held in part', { headers: block(3) }, {}, [200, 'PARTIAL', 1]],
    ['a HEAD of what is held in part', { headers: block(3) }, { method: 'HEAD' }, [200, 'HIT', 0]],
    ['a cold 304', undefined, { headers: { 'if-none-match': '*' } }, [304, 'MISS', 1]],
    ['a 304 from memory', {}, { headers: { 'if-none-match': '*' } }, [304, 'HIT', 0]],
    ['a cold 412', undefined, { headers: { 'if-match': '"other"' } }, [412, 'MISS', 1]],
    ['a cold part', undefined, { path: '/paid/large?partNumber=1' }, [206, 'MISS', 1]],
    [
      'a part that is in memory',
      { path: '/paid/large?partNumber=1' },
      { path: '/paid/large?partNumber=1' },
      [206, 'HIT', 0],
    ],
    [
      'checksums of what is held in part',
      { headers: block(0) },
      { method: 'HEAD', fields: { ...consent.fields, 'checksum-mode': 'ENABLED' } },
      [200, 'MISS', 1],
    ],
  ] as const)(
    'row 127: what was read for an answer is charged, whichever of its requests did it: %s',
    async (_, first, second, [status, cache, charged]) => {
      const question = { path: '/paid/large', as: requester, ...consent };
      lab.forget();
      if (first) await lab.ask({ ...question, ...first });
      const reply = await lab.ask({ ...question, ...second });
      expect(reply).toMatchObject({ status, headers: { 'x-cache': cache } });
      expect(reply.fields['request-charged']).toBe(charged ? 'requester' : undefined);
    },
  );

  it('row 127: each of those who waited for one charged answer is told', async () => {
    lab.forget();
    const question = { path: '/paid/large', as: requester, ...consent };
    const replies = await Promise.all([lab.ask(question), lab.ask(question), lab.ask(question)]);
    for (const reply of replies) expect(reply.fields['request-charged']).toBe('requester');
  });

  it('row 127: consent in a presigned URL counts', async () => {
    const reply = await lab.ask({ path: '/paid/k?x-amz-request-payer=requester', as: requester });
    expect(reply).toMatchObject({ status: 200, text: 'paid' });
  });

  it('the owner of the bucket needs no consent, and is not charged', async () => {
    const owning = await Lab.start({ buckets: { paid: {} } });
    await putPaid(owning);
    const { reply, cache } = await owning.agree({ path: '/paid/k' });
    expect(reply).toMatchObject({ status: 200, text: 'paid' });
    expect(reply.fields['request-charged']).toBeUndefined();
    expect(cache.again).toBe('HIT');
    await owning.stop();
  });

  it('row 128: another value is no consent', async () => {
    const fields = { 'request-payer': 'somebody' };
    expect(await lab.ask({ path: '/paid/k', as: requester, fields })).toMatchObject(denied);
  });
});
