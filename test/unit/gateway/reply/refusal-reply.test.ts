import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WholeReply } from '../../../../src/backend/store.ts';
import type { RefusedRecord } from '../../../../src/cache/record.ts';
import { RefusedByStoreError } from '../../../../src/gateway/fill/fill-error.ts';
import { failureFields } from '../../../../src/gateway/reply/failure-fields.ts';
import { errorWithin } from '../../../../src/gateway/reply/refusal-reply.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import type { HeaderField } from '../../../../src/s3/dialect.ts';
import { httpHeader } from '../../../support/asked-ranges.ts';
import { bucketOf } from '../../../support/object-reads.ts';
import { type Asked, ObjectServerBench, TextContent } from '../../../support/object-server-bench.ts';
import { recordOf } from '../../../support/records.ts';

let bench: ObjectServerBench;

beforeEach(async () => {
  bench = await ObjectServerBench.start();
});

afterEach(() => bench.close());

const errorOf = (code: string, more = '') =>
  `<Error><Code>${code}</Code><Message>No.</Message>${more}<RequestId>theirs</RequestId><HostId>theirs 2</HostId></Error>`;

const fields: readonly HeaderField[] = [
  ...[
    httpHeader('content-type', 'text/html'),
    httpHeader('content-length', '999'),
    httpHeader('server', 'nginx'),
  ],
  ...[httpHeader('access-control-allow-origin', '*'), httpHeader('location', 'https://their.test/')],
  ...[
    { name: 'request-id', value: 'theirs', store: true },
    { name: 'id-2', value: 'theirs 2', store: true },
    { name: 'delete-marker', value: 'false', store: true },
  ],
];

/** What is answered when the store refuses with `body`. */
function refusedWith(status: number, body: string, asked: Asked = {}, more: Partial<WholeReply> = {}) {
  bench.finds.push(new RefusedByStoreError({ status, fields, body: Buffer.from(body), ...more }));
  return bench.serve(asked);
}

describe('a refusal of this request', () => {
  it('is given as it is, with the ids of the store', async () => {
    const { reply, exchange } = await refusedWith(403, errorOf('AccessDenied', '<Own>1</Own>'));
    expect(reply).toMatchObject({ status: 403 });
    expect(reply.text).toMatch(/<Error><Code>AccessDenied<\/Code><Message>No.<\/Message><Own>1<\/Own>/);
    expect(reply.text).toContain('<RequestId>theirs</RequestId><HostId>theirs 2</HostId>');
    expect(reply.headers).toMatchObject({
      ...{ 'x-amz-request-id': 'theirs', 'x-amz-id-2': 'theirs 2', 'x-amz-delete-marker': 'false' },
      ...{ 'access-control-allow-origin': '*', location: 'https://their.test/' },
      'content-length': String(reply.text.length),
    });
    expect(reply.headers).not.toHaveProperty('server');
    expect(exchange).toMatchObject({ errorCode: 'AccessDenied', refusedBy: 'store', storeSaid: undefined });
  });

  it('law 6: does not say that a key is missing to who may not list', async () => {
    const asked = { client: { mayKnowMissing: false } };
    const { reply, exchange } = await refusedWith(404, errorOf('NoSuchKey'), asked);
    expect(reply.status).toBe(403);
    expect(failureFields(exchange).reason).toMatch(/no such key/);
    expect(reply.text).toContain('<Code>AccessDenied</Code>');
    expect(reply.text).not.toContain('theirs');
    expect(reply.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(reply.headers).not.toHaveProperty('x-amz-delete-marker');
    expect((await refusedWith(404, errorOf('NoSuchKey'))).reply.status).toBe(404);
    expect((await refusedWith(404, errorOf('NoSuchBucket'), asked)).reply.status).toBe(404);
    expect((await refusedWith(403, errorOf('AccessDenied'), asked)).reply.text).toContain('<Message>No.');
  });

  it('that is no document of the protocol becomes one; the log has what was said', async () => {
    const { reply, exchange } = await refusedWith(502, '<html>Bad gateway</html>');
    expect(reply).toMatchObject({ status: 502 });
    expect(reply.text).toContain('<Code>BadGateway</Code>');
    expect(reply.text).not.toContain('html');
    expect(reply.headers['content-type']).toBe('application/xml');
    expect(exchange).toMatchObject({ errorCode: 'BadGateway', storeSaid: '<html>Bad gateway</html>' });
  });

  it('without a body stays without one where nothing has failed', async () => {
    const { reply, exchange } = await refusedWith(400, '');
    expect(reply).toMatchObject({ status: 400, text: '' });
    expect(exchange.errorCode).toBeUndefined();
  });

  it('of a HEAD has no body and needs no words', async () => {
    const { reply, exchange } = await refusedWith(503, '', { method: 'HEAD' });
    expect(reply).toMatchObject({ status: 503, text: '' });
    expect(reply.headers['content-type']).toBe('text/html');
    expect(exchange).toMatchObject({ storeSaid: undefined, errorCode: 'ServiceUnavailable' });
  });

  it("law 7: of the gateway's own signature becomes a 502 that quotes nothing of it", async () => {
    const secret = '<AWSAccessKeyId>OURS</AWSAccessKeyId><StringToSign>AWS4-HMAC-SHA256</StringToSign>';
    const { reply, exchange } = await refusedWith(403, errorOf('SignatureDoesNotMatch', secret));
    expect(reply.status).toBe(502);
    expect(reply.text).toContain('own signature');
    expect(reply.text).not.toMatch(/OURS|StringToSign/);
    expect(exchange.failure?.message).toContain('own signature');
    expect(failureFields(exchange).cause).toBe('SignatureDoesNotMatch');
  });

  it('names a renamed bucket as the client does', async () => {
    const bucket = { ...bucketOf(), name: 'photos', bucketAtStore: 'acme-7' };
    const said = errorOf('NoSuchBucket', '<BucketName>acme-7</BucketName>');
    const { reply } = await refusedWith(404, said, { read: { bucket } });
    expect(reply.text).toContain('<BucketName>photos</BucketName>');
    expect(reply.headers).not.toHaveProperty('location');
  });
});

describe('a refusal from memory', () => {
  const remembered = (status: number, body: string): RefusedRecord => ({
    ...recordOf(new TextContent('')),
    ...{ kind: 'refused', isNegative: true, status, body: Buffer.from(body) },
    ...{ fields: [httpHeader('content-type', 'text/html')], receivedMs: bench.clock.nowMs() },
  });

  it('has the ids of its own reply', async () => {
    bench.cached = remembered(404, errorOf('NoSuchKey', '<Key>k</Key>'));
    const { reply, exchange } = await bench.serve();
    expect(reply.text).toContain('<Key>k</Key><RequestId>id</RequestId><HostId>id2</HostId>');
    expect(reply.headers).toMatchObject({ 'x-amz-request-id': 'id', 'x-amz-id-2': 'id2' });
    expect(exchange.errorCode).toBe('NoSuchKey');
  });

  it('that is no document of the protocol becomes one', async () => {
    bench.cached = remembered(404, '<html>Not found</html>');
    const { reply } = await bench.serve();
    expect(reply.text).toContain('<Code>NoSuchKey</Code>');
    expect(reply.headers['content-type']).toBe('application/xml');
  });

  it('without a body has none', async () => {
    bench.cached = remembered(404, '');
    const { reply } = await bench.serve();
    expect(reply).toMatchObject({ status: 404, text: '' });
    expect(reply.headers['content-type']).toBe('text/html');
  });

  it('row 127: says that finding it out was charged', async () => {
    const record = remembered(404, errorOf('NoSuchKey'));
    const how = { how: 'fetched', forwarded: 'uri-miss', forwardStatus: 404 } as const;
    bench.finds.push({ record, ...how, isCollapsed: false, isStored: true, isCharged: true });
    expect((await bench.serve()).reply.headers['x-amz-request-charged']).toBe('requester');
  });
});

describe('an error within an answer of status 200', () => {
  const renamed = { ...bucketOf(), name: 'mine', bucketAtStore: 'theirs-alone' };
  const source = { ...bucketOf(), name: 'from', bucketAtStore: 'source-at-store' };

  /** What becomes of `body` for a client. */
  function within(body: string, mayKnowMissing = true, of = renamed) {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const ends = { refuse: () => undefined, fault: () => undefined };
    const exchange = new Exchange(response, 'PUT', '/mine/k', 0, 'id', 'id2', { now: 'today' }, ends);
    const ids: HeaderField[] = [
      { name: 'request-id', value: 'theirs', store: true },
      { name: 'id-2', value: 'theirs 2', store: true },
    ];
    const reply = { status: 200, fields: ids, body: Buffer.from(body) };
    return { exchange, text: errorWithin(exchange, of, reply, mayKnowMissing, source)?.toString() };
  }

  it('is the verdict of the store, in the names of the client and with the ids of the store', () => {
    const { exchange, text } = within(errorOf('InternalError', '<BucketName>theirs-alone</BucketName>'));
    expect(text).toContain('<Code>InternalError</Code><Message>No.</Message><BucketName>mine</BucketName>');
    expect(text).toContain('<RequestId>theirs</RequestId><HostId>theirs 2</HostId>');
    expect(exchange).toMatchObject({ errorCode: 'InternalError', refusedBy: 'store', failure: undefined });
  });

  it('does not name the source as the store does', () => {
    const { text } = within(
      errorOf('NoSuchBucket', '<BucketName>source-at-store</BucketName><Own>source-at-store</Own>'),
    );
    expect(text).toContain('<BucketName>from</BucketName>');
    expect(text).not.toContain('source-at-store');
  });

  it.each(['NoSuchKey', 'NoSuchVersion', 'ObjectNotFound'])(
    'law 6: %s is not told to who may not list, and the log says so',
    code => {
      const { exchange, text } = within(errorOf(code), false);
      expect(text).toContain('<Code>AccessDenied</Code>');
      expect(text).not.toMatch(/No\.|theirs-alone/);
      expect(exchange.errorCode).toBe('AccessDenied');
      expect(failureFields(exchange).reason).toMatch(/no such key/);
      expect(within(errorOf(code)).text).toContain(`<Code>${code}</Code>`);
    },
  );

  it('law 7: does not quote what the store says of the signature of the gateway', () => {
    const { text } = within(errorOf('SignatureDoesNotMatch', '<AWSAccessKeyId>AKID</AWSAccessKeyId>'));
    expect(text).toContain('<Code>BadGateway</Code>');
    expect(text).not.toContain('AKID');
  });

  it('is none where the document is a result', () => {
    expect(within('<CopyObjectResult><ETag>"e"</ETag></CopyObjectResult>').text).toBeUndefined();
  });
});
