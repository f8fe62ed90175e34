import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { S3StoreOptions } from '../../../src/backend/s3/s3-store.ts';
import { SigningKeys } from '../../../src/s3/sigv4-keys.ts';
import { SigV4Verifier } from '../../../src/s3/sigv4-verify.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { LoggedRequest } from '../../support/stand-in/request-log.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const account = '123456789012';
const credentials = { kind: 'static', accessKeyId: 'AKIDGATEWAY', secretAccessKey: 'secret' } as const;
const clock = new ManualClock(Date.UTC(2026, 0, 2));
let store: StandInStore;
let gateway: TestGateway | undefined;

beforeEach(async () => {
  store = await StandInStore.start();
});
afterEach(async () => {
  await gateway?.close();
  await store.close();
});

/** The store's request for `/b/<path>` of a gateway whose bucket `b` is `bucketAtStore`; every host leads to the stand-in. */
async function sent(
  bucketAtStore: string,
  path: string,
  more: Partial<S3StoreOptions> = {},
): Promise<LoggedRequest> {
  gateway = await TestGateway.start({
    storeUrl: `http://store.example:${store.port}`,
    clock,
    buckets: { b: { bucketAtStore } },
    store: {
      credentials,
      lookup: (_host, options, done) =>
        options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
      ...more,
    },
  });
  await gateway.get(`/b/${path}`);
  const [request] = store.log.requests;
  if (!request) throw new Error('nothing was sent');
  return request;
}

/** The scope that `request` was signed for, once the signature has been verified over host, path and headers as sent. */
function verifiedScope({ method, url, headers }: LoggedRequest): string {
  const verifier = new SigV4Verifier({ findClient: () => credentials, clock, keys: new SigningKeys() });
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
  expect(verifier.verify({ method, url, rawHeaders }).kind).toBe('signed');
  return /Credential=AKIDGATEWAY\/\d+\/([^,]*)\/aws4_request/.exec(headers.authorization ?? '')?.[1] ?? '';
}

describe('docs/semantics.md, Bucket: what is sent to the store', () => {
  it('names the bucket in the path', async () => {
    const request = await sent('photos', 'a/b');
    expect(request).toMatchObject({ url: '/photos/a/b', headers: { host: `store.example:${store.port}` } });
    expect(verifiedScope(request)).toBe('us-east-1/s3');
  });

  it('names the bucket in the host', async () => {
    const request = await sent('dotted.photos', 'a/b', { addressing: 'virtual', region: 'eu-west-1' });
    const host = `dotted.photos.store.example:${store.port}`;
    expect(request).toMatchObject({ url: '/a/b', headers: { host } });
    expect(verifiedScope(request)).toBe('eu-west-1/s3');
  });

  it.each([
    [`arn:aws:s3:eu-west-2:${account}:accesspoint/ap`, `ap-${account}.s3-accesspoint.eu-west-2`, 's3'],
    [
      `arn:aws:s3-object-lambda:eu-west-2:${account}:accesspoint/ap`,
      `ap-${account}.s3-object-lambda.eu-west-2`,
      's3-object-lambda',
    ],
    [
      `arn:aws:s3-outposts:eu-west-2:${account}:outpost/op-1/accesspoint/ap`,
      `ap-${account}.op-1.s3-outposts.eu-west-2`,
      's3-outposts',
    ],
    [
      `arn:aws:s3-outposts:eu-west-2:${account}:outpost/op-1/bucket/ap`,
      `ap-${account}.op-1.s3-outposts.eu-west-2`,
      's3-outposts',
    ],
  ])('addresses %s by its own host, signed for its region and service', async (arn, labels, service) => {
    const request = await sent(arn, 'a/b');
    expect(request).toMatchObject({
      url: '/a/b',
      headers: { host: `${labels}.store.example:${store.port}` },
    });
    expect(verifiedScope(request)).toBe(`eu-west-2/${service}`);
  });

  it.each(['x-amz-', 'x-store-'] as const)('signs in the dialect of the store: %s', async headerPrefix => {
    const request = await sent('photos', 'k', { headerPrefix });
    expect(verifiedScope(request)).toBe('us-east-1/s3');
    const others = Object.keys(request.headers).filter(name => /^x-/.test(name));
    expect(others.length).toBeGreaterThan(1);
    for (const name of others) expect(name.startsWith(headerPrefix)).toBe(true);
    expect(request.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
  });

  it.each([
    ['plain/key', 'plain/key'],
    ['a%2Fb', 'a/b'],
    ['one+two', 'one%2Btwo'],
    ['a//b/../c/./d', 'a//b/../c/./d'],
    ['%25123', '%25123'],
    ['caf%C3%A9%20%F0%9F%98%80', 'caf%C3%A9%20%F0%9F%98%80'],
    ["!'()*", '%21%27%28%29%2A'],
  ])(
    'docs/semantics.md 218 to 227: the key %s goes as it is, in its canonical escapes',
    async (path, rawKey) => {
      const request = await sent('photos', path);
      expect(request.url).toBe(`/photos/${rawKey}`);
      verifiedScope(request);
    },
  );
});
