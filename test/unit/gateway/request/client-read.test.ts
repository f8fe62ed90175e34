import { createHash } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { anonymous, type Caller, Permissions } from '../../../../src/gateway/request/access.ts';
import type { Bucket } from '../../../../src/gateway/request/bucket.ts';
import { clientRead } from '../../../../src/gateway/request/client-read.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { parseQuery } from '../../../../src/s3/query.ts';
import { RequestFields } from '../../../../src/s3/request-fields.ts';
import { clientCalled } from '../../../support/callers.ts';
import { keptBytesOf } from '../../../support/kept-bytes.ts';
import { slots, testKey } from '../../../support/object-keys.ts';
import { bucketOf } from '../../../support/object-reads.ts';
import { defaultPolicy } from '../../../support/worker-gateway.ts';

const reader: Caller = clientCalled('reader');
const ends = { refuse: () => undefined, fault: () => undefined };

interface Asked {
  readonly method?: string;
  readonly key?: string;
  readonly query?: string;
  readonly headers?: readonly string[];
  readonly caller?: Caller;
  readonly bucket?: Partial<Bucket>;
  /** Actions on the key. */
  readonly granted?: readonly string[];
  readonly encrypted?: boolean;
}

function read(asked: Asked) {
  const {
    method = 'GET',
    key = 'k',
    query = '',
    headers = [],
    caller = reader,
    granted = ['GetObject'],
  } = asked;
  const socket = Object.assign(new Socket(), { encrypted: asked.encrypted ?? false });
  const request = new IncomingMessage(socket);
  const bucket = { ...bucketOf(), ...asked.bucket };
  const exchange = new Exchange(
    new ServerResponse(request),
    method,
    `/b/${key}`,
    0,
    'id',
    'id2',
    { now: '' },
    ends,
  );
  const policy = {
    allows: (_caller: Caller, _bucket: string, action: string, of: string) =>
      of === key && granted.includes(action),
    shareBelow: () => 'none' as const,
  };
  return clientRead(
    {
      ...{ request, exchange, fields: new RequestFields(headers), bucket, caller },
      address: { kind: 'object', bucket: 'b', key, rawPath: key, query },
    },
    key,
    parseQuery(query),
    new Permissions(policy, caller, 'b'),
    7,
  );
}

describe('the read of a client', () => {
  it('is of the key below the prefix of the bucket, at the store', () => {
    const epochs = slots.of({ backend: 'main', bucket: 'all' });
    const atStore = { keyPrefix: 'tenant/', bucketAtStore: 'all', epochs };
    const bucket = { ...atStore, rulesFor: (key: string) => ({ cache: policies[key] }) };
    const policies = { 'a/k': { ...defaultPolicy, ttlMs: 1 } } as Record<string, typeof defaultPolicy>;
    const { read: object, exchange, nowMs } = read({ key: 'a/k', bucket: bucket as Partial<Bucket> });
    expect(object.objectKey).toEqual(testKey('main', 'all', 'tenant/a/k'));
    expect(object.policy.ttlMs).toBe(1);
    expect([exchange.key, exchange.versionId, nowMs]).toEqual(['a/k', undefined, 7]);
  });

  it('is a GET or a HEAD, and says so in the name of its record where the answer depends on it', () => {
    const headers = ['Origin', 'https://a.example'];
    const [get, head] = ['GET', 'HEAD'].map(method => read({ method, headers }).read);
    expect([get?.method, head?.method]).toEqual(['GET', 'HEAD']);
    expect(get?.recordName).not.toBe(head?.recordName);
    expect(read({ method: 'GET' }).read.recordName).toBe(read({ method: 'HEAD' }).read.recordName);
  });

  it('differs by all that the answer of the store depends on', () => {
    const variants: Asked[] = [
      {},
      { query: 'versionId=v1' },
      { query: 'versionId=v2' },
      { headers: ['Origin', 'https://a.example'] },
      { headers: ['Origin', 'https://b.example'] },
      { headers: ['x-amz-expected-bucket-owner', '123456789012'] },
      { headers: ['x-amz-request-payer', 'requester'] },
    ];
    expect(new Set(variants.map(asked => read(asked).read.recordName)).size).toBe(variants.length);
    const { variant } = read({
      headers: [
        'Origin',
        'o',
        'x-amz-expected-bucket-owner',
        '123456789012',
        'x-amz-request-payer',
        'requester',
      ],
    }).read;
    expect(variant).toEqual({ origin: 'o', expectedBucketOwner: '123456789012', requestPayer: 'requester' });
  });

  it('of an anonymous caller agrees to no charge, and overrides nothing (docs/semantics.md 126, 134)', () => {
    const headers = ['x-amz-request-payer', 'requester'];
    expect(read({ headers, caller: anonymous }).read.variant.requestPayer).toBeUndefined();
    const query = 'response-content-type=text/html';
    expect(read({ query }).overrides).toEqual([['content-type', 'text/html']]);
    expect(() => read({ query, caller: anonymous })).toThrow();
  });

  it('has range, part and preconditions as they were sent', () => {
    const { range, read: object } = read({ headers: ['Range', 'bytes=1-2', 'If-Match', '"t"'] });
    expect(range).toEqual({ kind: 'from', first: 1, last: 2 });
    expect(object).toMatchObject({ range, isConditional: true, partNumber: undefined });
    expect(read({ query: 'partNumber=3' }).read).toMatchObject({ partNumber: 3, isConditional: false });
  });
});

describe('what a client may', () => {
  it.each([
    ['', ['GetObject'], true],
    ['', ['GetObjectVersion'], false],
    ['versionId=v', ['GetObject'], false],
    ['versionId=v', ['GetObjectVersion'], true],
    ['', [], false],
  ])('%j with %j: %s', (query, granted, isAllowed) => {
    expect(read({ query, granted }).isAllowed).toBe(isAllowed);
  });

  it('know of a missing key takes ListBucket on that key (docs/semantics.md 111 to 113)', () => {
    expect(read({ granted: ['GetObject'] }).mayKnowMissing).toBe(false);
    expect(read({ granted: ['ListBucket'] }).mayKnowMissing).toBe(true);
  });

  it('see of the object is its grants, and checksums when it asks for them', () => {
    const headers = ['x-amz-checksum-mode', 'ENABLED'];
    const granted = ['GetObject', 'GetObjectTagging'];
    expect(read({ headers, granted }).visibility).toEqual({
      ...{ checksums: true, taggingCount: true, legalHold: false, storeNames: true, targeted: true },
    });
    expect(read({}).visibility.checksums).toBe(false);
  });
});

describe('a version id', () => {
  it('that may be a path is refused by its name, and is not noted', () => {
    for (const id of ['../other', 'a/../b'])
      expect(() => read({ query: `versionId=${encodeURIComponent(id)}` })).toThrow(
        expect.objectContaining({
          code: 'InvalidArgument',
          fields: [
            ['ArgumentName', 'versionId'],
            ['ArgumentValue', id],
          ],
        }),
      );
  });

  it('with a slash is one at an exact store, and none at a store of paths', () => {
    const query = 'versionId=a%2Fb';
    expect(read({ query }).exchange.versionId).toBe('a/b');
    expect(() => read({ query, bucket: { keys: 'path' } })).toThrow();
    expect(read({ query: '', bucket: { keys: 'path' } }).exchange.versionId).toBeUndefined();
  });
});

describe('a customer-provided key', () => {
  const key = Buffer.alloc(32, 1);
  const headers = [
    ...['x-amz-server-side-encryption-customer-algorithm', 'AES256'],
    ...['x-amz-server-side-encryption-customer-key', key.toString('base64')],
    'x-amz-server-side-encryption-customer-key-MD5',
    createHash('md5').update(key).digest('base64'),
  ];

  it('is taken over TLS, or where the bucket takes it over plain HTTP (docs/semantics.md 155)', () => {
    expect(read({ headers, encrypted: true }).customerKey?.key).toBe(key.toString('base64'));
    const bucket = { customerKeys: { plainHttp: 'always' } } as const;
    expect(read({ headers, bucket }).customerKey?.key).toBe(key.toString('base64'));
    expect(() => read({ headers })).toThrow();
  });

  it('is none of a read without one', () => {
    for (const encrypted of [true, false]) expect(read({ encrypted }).customerKey).toBeUndefined();
  });
});

it('what a read of a version keeps is not the URL', () => {
  const kept = keptBytesOf(url => {
    const { read: what } = read({
      query: `versionId=${url.slice(24, 60)}&x=${url}`,
      granted: ['GetObjectVersion'],
    });
    return [what.versionId, what.recordName];
  });
  expect(kept).toBeLessThan(2_000);
});
