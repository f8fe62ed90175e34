import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WholeReply } from '../../../../src/backend/store.ts';
import type { RefusedRecord } from '../../../../src/cache/record.ts';
import { RefusedByStoreError } from '../../../../src/gateway/fill/fill-error.ts';
import { failureFields } from '../../../../src/gateway/reply/failure-fields.ts';
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
