import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import { type Question, signedQuestion } from '../../support/conformance/question.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';
import type { RawReply } from '../../support/raw-request.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const reader: Account = {
  accessKeyId: 'reader',
  secretAccessKey: 'reader-secret',
  grants: [{ actions: ['GetObject'] }],
};
const document = (elements: string, ids: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${elements}${ids}</Error>`;

/** One error, and the elements of its body but for the ids. */
interface Shown {
  readonly name: string;
  readonly question: Question;
  readonly status: number;
  readonly elements: string;
}

describe.each(crossedDialects)('docs/semantics.md, section 10: $client before $store, $over', dialects => {
  const prefix = dialects.client;
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({ dialects, accounts: [OWNER, reader], buckets: { box: {} }, anonymous: {} });
    await lab.store.put('/box');
    await lab.store.put('/box/k', '0123456789');
    await lab.store.put('/box/cold', 'cold', { 'x-amz-storage-class': 'GLACIER' });
    await lab.store.put('/box/tiered', 'cold', {
      'x-amz-storage-class': 'INTELLIGENT_TIERING',
      'x-amz-embedded-access-tier': 'ARCHIVE_ACCESS',
    });
  });
  afterAll(() => lab.stop());

  const send = (question: Question): Promise<RawReply> => {
    const delivery = { origin: lab.gateway.url(), prefix, nowMs: lab.store.clock.nowMs() };
    return lab.send(signedQuestion(question, delivery));
  };
  const precondition =
    '<Code>PreconditionFailed</Code><Message>At least one of the pre-conditions you specified did not hold</Message>';

  const errors: readonly Shown[] = [
    {
      name: '111: NoSuchKey',
      question: { path: '/box/none' },
      status: 404,
      elements: '<Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Key>none</Key>',
    },
    {
      name: '112: AccessDenied',
      question: { path: '/box/none', as: reader },
      status: 403,
      elements: '<Code>AccessDenied</Code><Message>Access Denied</Message>',
    },
    {
      name: '119: NoSuchBucket',
      question: { path: '/nowhere/k' },
      status: 404,
      elements:
        '<Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message><BucketName>nowhere</BucketName>',
    },
    {
      name: '206: InvalidArgument',
      question: { path: '/box/k?partNumber=0' },
      status: 400,
      elements:
        '<Code>InvalidArgument</Code><Message>Part number must be an integer between 1 and 10000, inclusive</Message><ArgumentName>partNumber</ArgumentName><ArgumentValue>0</ArgumentValue>',
    },
    {
      name: '207: MethodNotAllowed',
      question: { path: '/box/k', method: 'POST' },
      status: 405,
      elements:
        '<Code>MethodNotAllowed</Code><Message>The specified method is not allowed against this resource.</Message><Method>POST</Method><ResourceType>OBJECT</ResourceType>',
    },
    {
      name: '211: PreconditionFailed',
      question: { path: '/box/k', headers: { 'if-match': '"x"' } },
      status: 412,
      elements: `${precondition}<Condition>If-Match</Condition>`,
    },
    {
      name: '211: PreconditionFailed by date',
      question: { path: '/box/k', headers: { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' } },
      status: 412,
      elements: `${precondition}<Condition>If-Unmodified-Since</Condition>`,
    },
    {
      name: '212: InvalidObjectState of a class',
      question: { path: '/box/cold' },
      status: 403,
      elements:
        "<Code>InvalidObjectState</Code><Message>The action is not valid for the object's storage class</Message><StorageClass>GLACIER</StorageClass>",
    },
    {
      name: '212: InvalidObjectState of a tier',
      question: { path: '/box/tiered' },
      status: 403,
      elements:
        "<Code>InvalidObjectState</Code><Message>The action is not valid for the object's access tier</Message><StorageClass>INTELLIGENT_TIERING</StorageClass><AccessTier>ARCHIVE_ACCESS</AccessTier>",
    },
    {
      name: '213: InvalidRange',
      question: { path: '/box/k', headers: { range: 'bytes=10-' } },
      status: 416,
      elements:
        '<Code>InvalidRange</Code><Message>The requested range is not satisfiable</Message><RangeRequested>bytes=10-</RangeRequested><ActualObjectSize>10</ActualObjectSize>',
    },
    {
      name: '213: InvalidPartNumber',
      question: { path: '/box/k?partNumber=2' },
      status: 416,
      elements:
        '<Code>InvalidPartNumber</Code><Message>The requested partnumber is not satisfiable</Message><ActualPartCount>1</ActualPartCount><PartNumberRequested>2</PartNumberRequested>',
    },
    {
      name: '214: KeyTooLongError',
      question: { path: `/box/${'k'.repeat(1025)}` },
      status: 400,
      elements:
        '<Code>KeyTooLongError</Code><Message>Your key is too long</Message><Size>1025</Size><MaxSizeAllowed>1024</MaxSizeAllowed>',
    },
    {
      name: '227: what XML needs escaped',
      question: { path: '/box/%3Ca%3E%26%22%27%C3%BC%F0%9F%98%80' },
      status: 404,
      elements:
        '<Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Key>&lt;a&gt;&amp;&quot;&apos;ü😀</Key>',
    },
  ];

  it.each(errors)('rows 202 to 204, row $name', async ({ question, status, elements }) => {
    for (const moment of ['cold', 'warm']) {
      if (moment === 'cold') lab.forget();
      const { headers, ...reply } = await send(question);
      const ids = `<RequestId>${headers[`${prefix}request-id`]}</RequestId><HostId>${headers[`${prefix}id-2`]}</HostId>`;
      expect(quotesPlain(reply.text), moment).toBe(quotesPlain(document(elements, ids)));
      expect(reply.status).toBe(status);
      expect(headers).toMatchObject({
        'content-type': 'application/xml',
        'content-length': String(reply.body.length),
      });
      expect(headers[`${prefix}request-id`]).toMatch(/^\S+$/);
    }
  });

  // HEAD of an archived object is no error (docs/semantics.md 168)
  const errorsOfHead = errors.filter(({ name }) => !/^(207|212)/.test(name));
  it.each(errorsOfHead)('row 205: HEAD has no body, row $name', async ({ question, status }) => {
    for (const moment of ['cold', 'warm', 'after GET']) {
      if (moment !== 'warm') lab.forget();
      if (moment === 'after GET') await send(question);
      const head = await send({ ...question, method: 'HEAD' });
      expect({ status: head.status, text: head.text }, moment).toEqual({ status, text: '' });
      expect(head.headers).toMatchObject({ 'content-type': 'application/xml' });
      expect(head.headers[`${prefix}request-id`]).toMatch(/^\S+$/);
    }
  });

  it('row 203: each answer has ids of its own, from the cache too', async () => {
    const ids = new Set<string | undefined>();
    for (let count = 0; count < 3; count++)
      ids.add((await send({ path: '/box/none' })).headers[`${prefix}request-id`]);
    expect(ids.size).toBe(3);
  });

  it('who may list nothing is not told which buckets there are', async () => {
    for (const method of ['GET', 'OPTIONS'])
      expect(
        await lab.ask({ path: '/', method, as: 'anonymous', fields: { 'expected-bucket-owner': '0' } }),
      ).toMatchObject({
        status: 403,
        error: { code: 'AccessDenied' },
      });
  });
});

/** `"` and `'` need no escape between tags, and may have one. */
function quotesPlain(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&apos;', "'");
}

describe('docs/semantics.md, section 10: words of other stores', () => {
  const words =
    '<Error><Code>AccessDenied</Code><Message>No.</Message><BucketName>b</BucketName><Resource>/b/k</Resource><RequestId>THEIRS</RequestId><HostId>their-host</HostId></Error>';
  let store: StandInStore;
  let gateway: TestGateway;

  beforeAll(async () => {
    store = await StandInStore.start();
    gateway = await TestGateway.start({ storeUrl: store.url });
  });
  afterAll(async () => {
    await gateway.close();
    await store.close();
  });

  it("row 203: an answer that is the store's has the store's ids, in headers and body alike", async () => {
    const headers = { 'content-type': 'application/xml', 'x-amz-request-id': 'ONE', 'x-amz-id-2': 'two' };
    store.faults.next({ kind: 'answer', status: 403, body: words, headers });
    const answer = await gateway.get('/b/k');
    expect(answer.headers).toMatchObject({ 'x-amz-request-id': 'ONE', 'x-amz-id-2': 'two' });
    expect(answer.body.toString()).toContain('<RequestId>ONE</RequestId><HostId>two</HostId></Error>');
  });

  it('row 204: Resource is not given on, and other elements are', async () => {
    store.faults.next({ kind: 'answer', status: 403, body: words });
    const body = (await gateway.get('/b/k')).body.toString();
    expect(body).toContain(
      '<Code>AccessDenied</Code><Message>No.</Message><BucketName>b</BucketName><RequestId>',
    );
    expect(body).not.toContain('Resource');
  });

  it('row 216: what breaks off behind the head is cut off for the client too, and not kept', async () => {
    store.put('b', 'broken', Buffer.alloc(3_000_000, 'x'));
    store.faults.breakAfter(2_000_000, ...Array.from({ length: 20 }, () => 0));
    await expect(gateway.get('/b/broken')).rejects.toThrow(/aborted|reset|hang up/i);
    store.faults.clear();
    const whole = await gateway.get('/b/broken');
    expect(whole).toMatchObject({ status: 200 });
    expect(whole.body.length).toBe(3_000_000);
  });
});
