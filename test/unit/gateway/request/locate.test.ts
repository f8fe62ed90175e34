import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { anonymous, type Caller } from '../../../../src/gateway/request/access.ts';
import type { Bucket } from '../../../../src/gateway/request/bucket.ts';
import { BucketTable } from '../../../../src/gateway/request/bucket-table.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { type Located, type LocatedService, locate } from '../../../../src/gateway/request/locate.ts';
import { S3Error, s3Error } from '../../../../src/s3/error.ts';
import { RequestFields } from '../../../../src/s3/request-fields.ts';
import { clientCalled } from '../../../support/callers.ts';
import { bucketOf } from '../../../support/object-reads.ts';

const DOMAIN = 'gateway.test';
const point = (region: string, service = 's3') =>
  `arn:aws:${service}:${region}:123456789012:accesspoint/reports`;

const configured: Readonly<Record<string, Partial<Bucket>>> = {
  photos: { region: 'eu-west-1' },
  films: { headerPrefix: 'x-store-' },
  paths: { keys: 'path', keyPrefix: 'tenant/' },
  hosted: { meetsAdministration: true },
  half: { meetsAdministration: true, keyPrefix: 'mi' },
  here: { bucketAtStore: point('eu-west-1') },
  there: { bucketAtStore: point('us-east-1') },
  lambda: { bucketAtStore: point('eu-west-1', 's3-object-lambda') },
};

function bucketNamed(name: string, different: Partial<Bucket> = {}): Bucket {
  return { ...bucketOf(), name, label: name, bucketAtStore: name, ...different };
}

/** `photos-…` are not in the configuration and have their bucket by `"*"`. */
const buckets = new BucketTable(
  new Map(Object.entries(configured).map(([name, different]) => [name, bucketNamed(name, different)])),
  {
    store: bucketOf().store,
    region: 'us-east-1',
    headerPrefix: 'x-amz-',
    rulesFor: bucketOf().rulesFor,
    find: name => (name.startsWith('photos-') ? bucketNamed(name, { label: '_other' }) : undefined),
  },
);

interface Asked {
  readonly url: string;
  readonly headers?: readonly string[];
  readonly remoteAddress?: string;
  /** Who it is from, or why it is refused; anonymous unless said. */
  readonly authenticate?: (request: IncomingMessage, region: string | undefined) => Caller;
}

interface Outcome {
  readonly exchange: Exchange;
  readonly located: Located | LocatedService | undefined;
  readonly refusal: S3Error | undefined;
  /** What else was thrown. */
  readonly fault: unknown;
}

function ask({
  url,
  headers = ['Host', 'h'],
  remoteAddress,
  authenticate = () => anonymous,
}: Asked): Outcome {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const request = Object.assign(new IncomingMessage(socket), {
    method: 'GET',
    url,
    rawHeaders: [...headers],
  });
  const ends = { refuse: () => undefined, fault: () => undefined };
  const exchange = new Exchange(
    new ServerResponse(request),
    'GET',
    url,
    0,
    'id',
    'id2',
    { now: 'today' },
    ends,
  );
  try {
    const parts = { domain: DOMAIN, buckets, authenticate };
    const located = locate(request, exchange, new RequestFields(headers), parts);
    return { exchange, located, refusal: undefined, fault: undefined };
  } catch (error) {
    if (error instanceof S3Error) return { exchange, located: undefined, refusal: error, fault: undefined };
    return { exchange, located: undefined, refusal: undefined, fault: error };
  }
}

describe('the bucket', () => {
  it('is found by the path and by the host, and noted for metrics and logs', () => {
    const byPath = ask({ url: '/photos/a/b?x=1' });
    expect(byPath.located).toMatchObject({
      bucket: { name: 'photos' },
      address: { kind: 'object', key: 'a/b', query: 'x=1' },
      caller: { kind: 'anonymous' },
    });
    expect(byPath.exchange).toMatchObject({ bucket: 'photos', backend: 'main', caller: undefined });
    const byHost = ask({ url: '/a/b', headers: ['Host', `photos.${DOMAIN}`] });
    expect(byHost.located).toMatchObject({ bucket: { name: 'photos' }, address: { key: 'a/b' } });
  });

  it('of another name is counted with all others', () => {
    const { exchange, located } = ask({ url: '/photos-2026/k' });
    expect(located).toMatchObject({ bucket: { name: 'photos-2026' } });
    expect(exchange).toMatchObject({ bucket: '_other', backend: 'main' });
  });

  it.each([
    ['/unknown/k', 'NoSuchBucket', 'unknown'],
    ['/unknown', 'NoSuchBucket', 'unknown'],
    [`/${encodeURIComponent(point('mars-1'))}/k`, 'NoSuchBucket', point('mars-1')],
    ['/un_known/k', 'InvalidBucketName', 'un_known'],
  ])('%s is refused with %s, and its name', (url, code, name) => {
    const { refusal, exchange } = ask({ url });
    expect(refusal).toMatchObject({ code, fields: [['BucketName', name]] });
    expect(exchange).toMatchObject({ bucket: '_other', backend: undefined });
  });

  it('is not told to be missing before the signature was checked', () => {
    const authenticate = () => {
      throw s3Error('SignatureDoesNotMatch');
    };
    expect(ask({ url: '/unknown/k', authenticate }).refusal?.code).toBe('SignatureDoesNotMatch');
  });

  it('is none for the service itself', () => {
    const { located, exchange } = ask({ url: '/?x' });
    expect(located).toMatchObject({ bucket: undefined, address: { kind: 'service', query: 'x' } });
    expect(exchange).toMatchObject({ bucket: '_other', backend: undefined });
  });
});

describe('the caller', () => {
  it('signs for the region of the bucket, and for any where none is found', () => {
    const regions: (string | undefined)[] = [];
    const authenticate = (_: IncomingMessage, region: string | undefined) => {
      regions.push(region);
      return anonymous;
    };
    for (const url of ['/photos/k', '/films/k', '/unknown/k']) ask({ url, authenticate });
    expect(regions).toEqual(['eu-west-1', 'us-east-1', undefined]);
  });

  it('signs a request to the service for the region of any bucket', () => {
    const regions: (string | undefined)[] = [];
    const authenticate = (_: IncomingMessage, region: string | undefined) => {
      regions.push(region);
      return anonymous;
    };
    for (const signed of ['eu-west-1', 'us-east-1', 'ap-south-1']) {
      const scope = `Credential=a/20260101/${signed}/s3/aws4_request`;
      ask({ url: '/', headers: ['Host', 'h', 'Authorization', `AWS4-HMAC-SHA256 ${scope}`], authenticate });
      ask({ url: `/?X-Amz-Credential=${encodeURIComponent(scope.slice(11))}`, authenticate });
    }
    expect(regions).toEqual(['eu-west-1', 'eu-west-1', 'us-east-1', 'us-east-1', 'us-east-1', 'us-east-1']);
  });

  it('is passed on and noted by name', () => {
    const caller = clientCalled('reader');
    for (const url of ['/photos/k', '/']) {
      const { located, exchange } = ask({ url, authenticate: () => caller });
      expect(located?.caller).toBe(caller);
      expect(exchange.caller).toBe('reader');
    }
  });

  const credential = 'reader/20260101/eu-west-1/s3/aws4_request';
  const headers = ['Host', 'h', 'Authorization', `AWS4-HMAC-SHA256 Credential=${credential}, Signature=0`];

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:abcd', '::ffff:abcd'],
    ['2001:db8::ffff:1', '2001:db8::ffff:1'],
    [undefined, undefined],
  ])('that is refused is noted with its address, %s, its id and the reason', (remoteAddress, client) => {
    const why = (reason?: string) => () => {
      throw s3Error('SignatureDoesNotMatch', reason === undefined ? {} : { reason });
    };
    const different = { url: '/photos/k', headers, ...(remoteAddress && { remoteAddress }) };
    const { exchange, refusal } = ask({ ...different, authenticate: why('another secret') });
    expect(refusal?.code).toBe('SignatureDoesNotMatch');
    expect(exchange.refusedSignature).toEqual({ client, accessKey: 'reader', why: 'another secret' });
    expect(ask({ ...different, authenticate: why() }).exchange.refusedSignature?.why).toBe(
      'SignatureDoesNotMatch',
    );
  });

  it('is not called refused when the check itself fails, or when the key is refused', () => {
    const fault = new TypeError('a fault of the gateway');
    const authenticate = () => {
      throw fault;
    };
    expect(ask({ url: '/photos/k', authenticate })).toMatchObject({
      ...{ fault, exchange: { refusedSignature: undefined } },
    });
    expect(ask({ url: '/paths/a//b' }).exchange.refusedSignature).toBeUndefined();
  });
});

describe('the dialect of the answer', () => {
  const inStore = ['Host', 'h', 'x-store-checksum-mode', 'ENABLED'];
  const inAmz = ['Host', 'h', 'x-amz-checksum-mode', 'ENABLED'];
  const signedInAmz = ['Host', 'h', 'Authorization', 'AWS4-HMAC-SHA256 SignedHeaders=host;x-amz-date, x=y'];
  it.each([
    ['the bucket, for a request that shows none', '/photos/k', undefined, 'x-amz-'],
    ['the bucket, whose query shows none', '/films/k?partNumber=1', undefined, 'x-store-'],
    ['the fields', '/photos/k', inStore, 'x-store-'],
    ['the fields, beside a query', '/films/k?partNumber=1', inAmz, 'x-amz-'],
    ['the signature', '/films/k', signedInAmz, 'x-amz-'],
    ['a presigned URL', '/photos/k?X-Store-Signature=0', undefined, 'x-store-'],
    ['the fields, for the service', '/', inAmz, 'x-amz-'],
  ] as const)('is that of %s', (_of, url, headers, prefix) => {
    const { exchange, located } = ask(headers ? { url, headers } : { url });
    expect(located).toBeDefined();
    expect(exchange.prefix).toBe(prefix);
  });

  const long = 'k'.repeat(1025);
  it.each([
    ['the bucket', `/photos/${long}`, undefined, 'x-amz-'],
    ['the bucket in the host', `/${long}`, ['Host', `photos.${DOMAIN}`], 'x-amz-'],
    ['the fields', `/photos/${long}`, inStore, 'x-store-'],
    ['the fields, against the bucket', `/films/${long}`, inAmz, 'x-amz-'],
    ['nobody, where the bucket is refused as well', `/ph%ZZ/${long}`, undefined, 'x-store-'],
    ['nobody, where there is no such bucket', `/unknown/${long}`, undefined, 'x-store-'],
  ] as const)('is that of %s where the address is refused', (_of, url, headers, prefix) => {
    const { exchange, refusal } = ask(headers ? { url, headers } : { url });
    expect(refusal).toBeDefined();
    expect(exchange.prefix).toBe(prefix);
  });
});

describe('a key', () => {
  it.each(['a//b', '../b', '/b', 'a/./b'])('%s is refused at a store of paths, not at an exact one', key => {
    expect(ask({ url: `/paths/${key}` }).refusal).toMatchObject({
      code: 'InvalidArgument',
      fields: [
        ['ArgumentName', 'Key'],
        ['ArgumentValue', key],
      ],
    });
    expect(ask({ url: `/photos/${key}` }).located).toMatchObject({ address: { key } });
  });

  it.each(['/hosted/minio', '/hosted/minio/admin/v3/export-iam', '/half/nio/admin', '/half/nio'])(
    '%s is not passed on to a store that may be administered there',
    url => {
      expect(ask({ url }).refusal?.code).toBe('AccessDenied');
    },
  );

  it.each(['/photos/minio/admin', '/hosted/minio2/a', '/hosted/a/minio/b', '/half/minio/a'])(
    '%s is an object like others',
    url => {
      expect(ask({ url }).located).toBeDefined();
    },
  );

  it('is not asked of a request for the bucket', () => {
    expect(ask({ url: '/paths?list-type=2' }).located).toMatchObject({ address: { kind: 'bucket' } });
    expect(ask({ url: '/hosted/' }).located).toMatchObject({ address: { kind: 'bucket' } });
  });
});

describe('of access points with one name in the host, the scope of the signature names one', () => {
  const host = ['Host', `reports-123456789012.${DOMAIN}`];
  const inHeader = (region: string, service: string) => [
    ...[...host, 'Authorization'],
    `AWS4-HMAC-SHA256 Credential=reader/20260101/${region}/${service}/aws4_request, Signature=0`,
  ];
  it.each([
    ['eu-west-1', 's3', 'here'],
    ['us-east-1', 's3', 'there'],
    ['eu-west-1', 's3-object-lambda', 'lambda'],
    ['mars-1', 's3', undefined],
    ['eu-west-1', 'iam', undefined],
  ])('%s, %s: %s', (region, service, name) => {
    const found = (asked: Asked) => ask(asked).located?.bucket?.name;
    expect(found({ url: '/k', headers: inHeader(region, service) })).toBe(name);
    for (const slash of ['/', '%2F', '%2f']) {
      const credential = ['reader', '20260101', region, service, 'aws4_request'].join(slash);
      expect(found({ url: `/k?X-Amz-Credential=${credential}&x=y`, headers: host })).toBe(name);
    }
  });

  it('in the header where there is one in the query too, as the signature is checked there', () => {
    const url = '/k?X-Amz-Credential=reader/20260101/us-east-1/s3/aws4_request';
    expect(ask({ url, headers: inHeader('eu-west-1', 's3') }).located?.bucket?.name).toBe('here');
  });

  it('none without a signature, nor with a date that is none', () => {
    for (const url of ['/k', '/k?X-Amz-Credential=reader/2026/eu-west-1/s3/aws4_request'])
      expect(ask({ url, headers: host }).refusal?.code).toBe('NoSuchBucket');
  });
});
