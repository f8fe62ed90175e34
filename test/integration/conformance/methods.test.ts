import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/embedded-store/access/caller.ts';
import { bucketOperations, objectOperations } from '../../../src/s3/operation-table.ts';
import { crossedDialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import type { Question } from '../../support/conformance/question.ts';
import { comparable } from '../../support/conformance/reply.ts';
import { OWNER, signWithSdk } from '../../support/embedded-store/store-under-test.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { talk } from '../../support/talk.ts';

const reader: Account = {
  accessKeyId: 'reader',
  secretAccessKey: 'reader-secret',
  grants: [{ actions: ['GetObject', 'ListBucket'] }],
};
const denied = { status: 403, error: { code: 'AccessDenied', message: 'Access Denied', fields: {} } };
const standardText = 'The specified method is not allowed against this resource.';
const notPassedText = `${standardText} This gateway passes no such request to stores, whatever is granted.`;
const notAllowed = (Method: string, ResourceType: string, message = standardText) => ({
  status: 405,
  error: {
    code: 'MethodNotAllowed',
    message,
    fields: { Method, ResourceType },
  },
});

interface Operation extends Question {
  readonly operation: string;
  readonly resource: 'BUCKET' | 'OBJECT';
  readonly method: string;
  /** The methods of this address that the gateway takes. */
  readonly allow: string;
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD';
const refusedWrites = new Set(['RenameObject']);
/** Writes with tests of their own, of bodies and answers. */
const tested = new Set([
  ...['PutObject', 'DeleteObject', 'DeleteObjects', 'PostObject'],
  ...['CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload', 'AbortMultipartUpload'],
]);

/** Every operation of the API on a bucket or an object, as it is asked for. */
const operations: readonly Operation[] = [
  { resource: 'BUCKET' as const, path: '/box', table: Object.entries(bucketOperations) },
  { resource: 'OBJECT' as const, path: '/box/k', table: Object.entries(objectOperations) },
].flatMap(({ resource, path, table }) =>
  table.flatMap(([selector, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({
      operation,
      allow: Object.entries(byMethod)
        .filter(([each, name]) => isRead(each) || !refusedWrites.has(name))
        .map(([each]) => each)
        .join(', '),
      resource,
      method,
      path: selector === '' ? path : `${path}?${selector}=`,
      ...(operation === 'PostObject' && { headers: { 'content-type': 'multipart/form-data; boundary=x' } }),
    })),
  ),
);
const isReading = ({ method }: Operation) => isRead(method);
const writes = operations.filter(({ operation }) => refusedWrites.has(operation));
const passedWrites = operations.filter(
  each => !isReading(each) && !refusedWrites.has(each.operation) && !tested.has(each.operation),
);
const answeredHere = new Set(['GetObject', 'HeadObject', 'HeadBucket', 'ListObjects', 'CreateSession']);
const otherReads = operations.filter(read => isReading(read) && !answeredHere.has(read.operation));

describe.each(crossedDialects)('docs/semantics.md, section 13: $client before $store, $over', dialects => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      dialects,
      accounts: [OWNER, reader],
      buckets: { box: {} },
      anonymous: { box: [{ actions: ['GetObject'], keys: ['**'] }] },
    });
    await lab.store.put('/box');
    await lab.store.put('/box/k', 'content', { 'x-amz-acl': 'public-read' });
  });
  afterAll(() => lab.stop());

  it.each(writes)('$operation $method $path is refused, whoever asks, and reaches no store', async write => {
    const { operation: _operation, resource, allow, ...question } = write;
    await lab.ask({ path: '/box/k' });
    const before = await lab.requests();
    const reply = await lab.ask(question);
    const refusal = notAllowed(write.method, resource, notPassedText);
    expect(reply).toMatchObject({ ...refusal, headers: { allow } });
    expect(await lab.ask({ ...question, as: reader })).toMatchObject(denied);
    const fields = { 'expected-bucket-owner': '000000000000', ...question.fields };
    expect(await lab.ask({ ...question, fields, as: 'anonymous' })).toMatchObject(denied);
    expect(await lab.requests()).toBe(before);
  });

  it.each(passedWrites)(
    '$operation $method $path is for those who were granted it by its name',
    async write => {
      const { operation: _operation, resource: _resource, allow: _allow, ...question } = write;
      const before = await lab.requests();
      for (const as of [reader, 'anonymous'] as const)
        expect(await lab.ask({ ...question, as })).toMatchObject(denied);
      expect(await lab.requests()).toBe(before);
      const fromStore = await lab.askStore(question);
      const reply = await lab.ask(question);
      expect(reply).toMatchObject({ status: fromStore.status, headers: { 'x-cache': 'BYPASS' } });
      expect(comparable(reply)).toEqual(comparable(fromStore));
    },
  );

  it.each(otherReads)('$operation $method $path is for those who were granted it by its name', async read => {
    const { operation: _operation, resource: _resource, allow: _allow, ...question } = read;
    const before = await lab.requests();
    expect(await lab.ask({ ...question, as: reader })).toMatchObject(denied);
    expect(await lab.requests()).toBe(before);
    const reply = await lab.ask(question);
    const fromStore = await lab.askStore(question);
    expect(reply).toMatchObject({ status: fromStore.status, headers: { 'x-cache': 'BYPASS' } });
    if (!read.operation.startsWith('List')) expect(comparable(reply)).toEqual(comparable(fromStore));
  });

  it('credentials of the store are given to nobody', async () => {
    const before = await lab.requests();
    expect(await lab.ask({ path: '/box?session' })).toMatchObject({ status: 501 });
    expect(await lab.requests()).toBe(before);
  });

  it('row 268: POST of an object without a query', async () => {
    for (const as of [OWNER, reader, 'anonymous'] as const) {
      const fields = { 'checksum-mode': 'ENABLED' };
      const reply = await lab.ask({ path: '/box/k', method: 'POST', as, fields });
      expect(reply).toMatchObject(notAllowed('POST', 'OBJECT'));
      expect(reply.headers.allow).toBe('GET, HEAD, PUT, DELETE');
    }
  });

  it('row 269: POST of a bucket that is no form', async () => {
    const Condition = 'Bucket POST must be of the enclosure-type multipart/form-data';
    expect(await lab.ask({ path: '/box', method: 'POST' })).toMatchObject({
      status: 412,
      error: { code: 'PreconditionFailed', message: Condition, fields: { Condition } },
    });
  });

  it.each(['PATCH', 'TRACE', 'PROPFIND', 'PURGE', 'LINK'])('row 270: %s is no method here', async method => {
    for (const [path, resource, allow] of [
      ['/box', 'BUCKET', 'GET, HEAD, PUT, POST, DELETE'],
      ['/box/k', 'OBJECT', 'GET, HEAD, PUT, DELETE'],
    ] as const) {
      const reply = await lab.ask({ path, method });
      expect(reply).toMatchObject(notAllowed(method, resource));
      expect(reply.headers.allow).toBe(allow);
    }
  });

  it('row 272: GET needs no Content-Length', async () => {
    expect(await lab.ask({ path: '/box/k' })).toMatchObject({ status: 200, text: 'content' });
  });
});

describe('docs/semantics.md, section 13: requests with a body, and with expectations', () => {
  let lab: Lab;
  let host: string;

  beforeAll(async () => {
    lab = await Lab.start({
      buckets: { box: {} },
      anonymous: { box: [{ actions: ['GetObject'], keys: ['**'] }] },
    });
    ({ host } = new URL(lab.gateway.url()));
    await lab.store.put('/box');
    await lab.store.put('/box/k', 'content', { 'x-amz-acl': 'public-read' });
  });
  afterAll(() => lab.stop());

  it.each(['/box/k', '/box/none', '/other/k'])(
    'row 271: the body of a GET of %s is passed over',
    async path => {
      const body = 'GET /box/smuggled HTTP/1.1\r\n\r\n';
      const first = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      const second = `GET /box/k HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
      const [one, two] = await talk(lab.gateway.url(), first + second, 2);
      expect(one?.head).toMatch(path === '/box/k' ? /^HTTP\/1.1 200/ : /^HTTP\/1.1 40[34]/);
      expect(two?.head).toMatch(/^HTTP\/1.1 200/);
      expect(two?.body).toBe('content');
    },
  );

  it('row 271: so is one in chunks', async () => {
    const first = `GET /box/k HTTP/1.1\r\nhost: ${host}\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
    const second = `GET /box/k HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
    const [answer] = await talk(lab.gateway.url(), first + second, 1);
    expect(answer?.body).toBe('content');
    expect(answer?.head).toMatch(/\r\nConnection: close/);
  });

  it('row 273: GET with a Content-Length of 0 that is signed', async () => {
    const request = { path: '/box/k', headers: { 'content-length': '0' } };
    const signed = await signWithSdk(lab.gateway.url(), request, OWNER, lab.store.clock.nowMs());
    expect(signed.headers?.authorization).toContain('content-length;');
    const reply = await rawRequest(lab.gateway.url(), signed);
    expect(reply).toMatchObject({ status: 200, text: 'content' });
  });

  it('row 274: GET that expects to be told to go on', async () => {
    const request = `GET /box/k HTTP/1.1\r\nhost: ${host}\r\nexpect: 100-continue\r\n\r\n`;
    const answers = await talk(lab.gateway.url(), request, 2);
    expect(answers.map(({ head }) => head.slice(0, 12))).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
    expect(answers[1]?.body).toBe('content');
  });
});
