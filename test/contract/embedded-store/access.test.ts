import { PutBucketRequestPaymentCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { expectError } from '../../support/embedded-store/expect-error.ts';
import { OWNER, StoreUnderTest } from '../../support/embedded-store/store-under-test.ts';

const account = (accessKeyId: string, more: Partial<Account>): Account => ({
  accessKeyId,
  secretAccessKey: `${accessKeyId}-secret`,
  ...more,
});
const READER = account('reader', { grants: [{ actions: ['GetObject'] }] });
const LISTER_OF_A = account('lister', {
  grants: [{ actions: ['GetObject'] }, { actions: ['ListBucket'], keys: ['a/**', '!a/hidden/**'] }],
});
const ELSEWHERE = account('elsewhere', { grants: [{ actions: ['*'], buckets: ['other-*'] }] });
const REQUESTER = account('requester', { accountId: '111122223333' });
const OWNER_ID = '999988887777';
let store: StoreUnderTest;

beforeAll(async () => {
  const accounts = [OWNER, READER, LISTER_OF_A, ELSEWHERE, REQUESTER];
  store = await StoreUnderTest.start({ accounts, ownerId: OWNER_ID });
  await store.put('/private-box');
  await store.put('/private-box/open', 'open', { 'x-amz-acl': 'public-read' });
  await store.put('/private-box/closed', 'closed');
  await store.put('/private-box/members', 'members', { 'x-amz-acl': 'authenticated-read' });
  await store.put('/private-box/tagged', 'tagged', {
    'x-amz-tagging': 'a=1&b=2',
    'x-amz-acl': 'public-read',
  });
  await store.put('/public-box', '', { 'x-amz-acl': 'public-read' });
  await store.put('/public-box/closed', 'closed');
  await store.put('/locks', '', { 'x-amz-bucket-object-lock-enabled': 'true' });
  await store.put('/locks/held', 'held', {
    'x-amz-acl': 'public-read',
    'x-amz-object-lock-mode': 'GOVERNANCE',
    'x-amz-object-lock-retain-until-date': '2099-01-01T00:00:00.000Z',
    'x-amz-object-lock-legal-hold': 'ON',
  });
  await store.put('/paid');
  await store.put('/paid/k', 'paid', { 'x-amz-acl': 'public-read' });
  const payment = { RequestPaymentConfiguration: { Payer: 'Requester' as const } };
  await store.sdk().send(new PutBucketRequestPaymentCommand({ Bucket: 'paid', ...payment }));
});
afterAll(() => store.stop());

const DENIED = { status: 403, code: 'AccessDenied', message: 'Access Denied' };
const missing = (key: string) => ({
  status: 404,
  code: 'NoSuchKey',
  message: 'The specified key does not exist.',
  fields: { Key: key },
});

describe('docs/semantics.md, section 5: missing and forbidden', () => {
  it('row 111: a missing key, to those who may list', async () => {
    expectError(await store.signed({ path: '/private-box/none' }), missing('none'));
  });

  it('row 112: a missing key, to those who may not', async () => {
    expectError(await store.signed({ path: '/private-box/none' }, READER), DENIED);
  });

  it.each([
    ['a/x', missing('a/x')],
    ['b/x', DENIED],
    ['a/hidden/x', DENIED],
  ])('row 113: with ListBucket for a/ only, %s', async (key, expected) => {
    expectError(await store.signed({ path: `/private-box/${key}` }, LISTER_OF_A), expected);
  });

  it('row 114: HEAD of a missing key has no body', async () => {
    const head = (who: Account) => store.signed({ method: 'HEAD', path: '/private-box/none' }, who);
    expect(await head(OWNER)).toMatchObject({ status: 404, text: '' });
    expect(await head(READER)).toMatchObject({ status: 403, text: '' });
  });

  it('row 115: anonymous callers read a public object in a private bucket', async () => {
    expect(await store.raw({ path: '/private-box/open' })).toMatchObject({ status: 200, text: 'open' });
  });

  it('row 116: anonymous callers do not read a private object in a public bucket', async () => {
    expectError(await store.raw({ path: '/public-box/closed' }), DENIED);
  });

  it('row 117: anonymous callers learn what is missing in a public bucket', async () => {
    expectError(await store.raw({ path: '/public-box/none' }), missing('none'));
  });

  it('rows 118 and 119: a missing bucket is told to anybody', async () => {
    const expected = {
      status: 404,
      code: 'NoSuchBucket',
      message: 'The specified bucket does not exist',
      fields: { BucketName: 'nowhere' },
    };
    expectError(await store.raw({ path: '/nowhere/k' }), expected);
    expectError(await store.signed({ path: '/nowhere/k' }), expected);
  });

  it('row 120: HEAD of a missing bucket has no body', async () => {
    const reply = await store.raw({ method: 'HEAD', path: '/nowhere/k' });
    expect(reply).toMatchObject({ status: 404, text: '' });
  });

  it.each(['111111111111', '000000000000'])('row 123: the owner is not %s', async expected => {
    const headers = { 'x-amz-expected-bucket-owner': expected };
    expectError(await store.signed({ path: '/private-box/open', headers }), DENIED);
  });

  it('row 123: the expected owner is served', async () => {
    const headers = { 'x-amz-expected-bucket-owner': OWNER_ID };
    expect((await store.signed({ path: '/private-box/open', headers })).status).toBe(200);
  });

  it.each(['abcd', '12345', '1234567890123'])('row 124: %s is no account', async value => {
    const headers = { 'x-amz-expected-bucket-owner': value };
    expectError(await store.signed({ path: '/private-box/open', headers }), {
      status: 400,
      code: 'InvalidBucketOwnerAWSAccountID',
      message: `The value of the expected bucket owner parameter must be an AWS Account ID... [${value}]`,
    });
  });

  it('another account sees an object that is for all accounts, anonymous callers do not', async () => {
    expect((await store.signed({ path: '/private-box/members' }, ELSEWHERE)).status).toBe(200);
    expectError(await store.raw({ path: '/private-box/members' }), DENIED);
  });

  it('grants hold for their buckets only', async () => {
    expectError(await store.signed({ path: '/private-box/closed' }, ELSEWHERE), DENIED);
    expectError(await store.signed({ method: 'PUT', path: '/private-box/k', body: 'x' }, READER), DENIED);
    expectError(await store.signed({ method: 'PUT', path: '/new-box' }, READER), DENIED);
    expectError(await store.signed({ path: '/' }, READER), DENIED);
    expect((await store.signed({ method: 'PUT', path: '/other-box' }, ELSEWHERE)).status).toBe(200);
  });
});

describe('docs/semantics.md, section 5: who pays', () => {
  const consent = { 'x-amz-request-payer': 'requester' };

  it('row 125: without consent a requester is refused', async () => {
    expectError(await store.signed({ path: '/paid/k' }, REQUESTER), DENIED);
    const head = await store.signed({ method: 'HEAD', path: '/paid/k' }, REQUESTER);
    expect(head).toMatchObject({ status: 403, text: '' });
  });

  it('row 126: anonymous callers cannot pay', async () => {
    expectError(await store.raw({ path: '/paid/k', headers: consent }), DENIED);
  });

  it('row 127: with consent a requester is charged', async () => {
    const reply = await store.signed({ path: '/paid/k', headers: consent }, REQUESTER);
    expect(reply).toMatchObject({ status: 200, text: 'paid' });
    expect(reply.headers['x-amz-request-charged']).toBe('requester');
  });

  it('row 128: another value is no consent', async () => {
    const headers = { 'x-amz-request-payer': 'somebody' };
    expectError(await store.signed({ path: '/paid/k', headers }, REQUESTER), DENIED);
  });

  it('the owner of the bucket needs no consent and is not charged', async () => {
    const reply = await store.signed({ path: '/paid/k' });
    expect(reply.status).toBe(200);
    expect(reply.headers['x-amz-request-charged']).toBeUndefined();
  });
});

describe('docs/semantics.md, section 5: headers by permission', () => {
  it('row 129: the number of tags is for those who may read tags', async () => {
    const count = async (who: Account) =>
      (await store.signed({ path: '/private-box/tagged' }, who)).headers['x-amz-tagging-count'];
    expect(await count(OWNER)).toBe('2');
    expect(await count(READER)).toBeUndefined();
    expect((await store.raw({ path: '/private-box/tagged' })).headers['x-amz-tagging-count']).toBeUndefined();
  });

  it('row 130: no tags are not counted', async () => {
    const { headers } = await store.signed({ path: '/private-box/open' });
    expect(headers['x-amz-tagging-count']).toBeUndefined();
  });

  it('row 131: the legal hold is for those who may ask for it, the lock for every reader', async () => {
    const { headers } = await store.signed({ path: '/locks/held' });
    const lock = {
      'x-amz-object-lock-mode': 'GOVERNANCE',
      'x-amz-object-lock-retain-until-date': '2099-01-01T00:00:00.000Z',
    };
    expect(headers).toMatchObject({ ...lock, 'x-amz-object-lock-legal-hold': 'ON' });
    const other = await store.signed({ path: '/locks/held' }, READER);
    expect(other).toMatchObject({ status: 200, headers: lock });
    expect(other.headers).not.toHaveProperty('x-amz-object-lock-legal-hold');
  });
});
