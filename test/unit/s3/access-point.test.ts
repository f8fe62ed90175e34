import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import {
  accessPointHost,
  formatAccessPointArn,
  parseAccessPointArn,
  parseAccessPointHost,
} from '../../../src/s3/access-point.ts';
import { UNSIGNED_PAYLOAD } from '../../../src/s3/sigv4-canonical.ts';
import { SigningKeys } from '../../../src/s3/sigv4-keys.ts';
import { signRequest } from '../../../src/s3/sigv4-sign.ts';
import { SigV4Verifier } from '../../../src/s3/sigv4-verify.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const account = '123456789012';

describe('the ARN of an access point', () => {
  it.each([
    [`arn:aws:s3:eu-west-1:${account}:accesspoint/reports`, `reports-${account}.s3-accesspoint.eu-west-1`],
    [
      `arn:aws:s3-object-lambda:eu-west-1:${account}:accesspoint/reports`,
      `reports-${account}.s3-object-lambda.eu-west-1`,
    ],
    [
      `arn:aws:s3-outposts:us-west-2:${account}:outpost/op-01ac5d28a6a232904/accesspoint/reports`,
      `reports-${account}.op-01ac5d28a6a232904.s3-outposts.us-west-2`,
    ],
  ])('%s gives the host, and the host gives the ARN', (arn, labels) => {
    const point = parseAccessPointArn(arn);
    if (!point) throw new Error('the ARN was not understood');
    expect(accessPointHost(point, 's3.eu-west-1.amazonaws.com')).toBe(`${labels}.amazonaws.com`);
    expect(accessPointHost(point, 's3.example.test:9000')).toBe(`${labels}.s3.example.test:9000`);
    expect(formatAccessPointArn(point)).toBe(arn);
    expect(parseAccessPointHost(`${labels}.amazonaws.com`)).toEqual(point);
  });

  it('of a bucket on an outpost is addressed alike', () => {
    const point = parseAccessPointArn(`arn:aws:s3-outposts:us-west-2:${account}:outpost/op-1/bucket/logs`);
    expect(point && accessPointHost(point, 's3.us-west-2.amazonaws.com')).toBe(
      `logs-${account}.op-1.s3-outposts.us-west-2.amazonaws.com`,
    );
  });

  it('may separate its resource with colons', () => {
    expect(parseAccessPointArn(`arn:aws:s3:eu-west-1:${account}:accesspoint:reports`)?.name).toBe('reports');
  });

  it('keeps its partition', () => {
    const point = parseAccessPointArn(`arn:aws-cn:s3:cn-north-1:${account}:accesspoint/reports`);
    const host = point && accessPointHost(point, 's3.cn-north-1.amazonaws.com.cn');
    expect(host).toBe(`reports-${account}.s3-accesspoint.cn-north-1.amazonaws.com.cn`);
    expect(parseAccessPointHost(host ?? '')).toEqual(point);
    expect(parseAccessPointHost(`a-${account}.s3-accesspoint.us-gov-east-1.amazonaws.com`)?.partition).toBe(
      'aws-us-gov',
    );
  });

  it.each([
    'photos',
    'arn:aws:s3:::photos',
    `arn:aws:s3::${account}:accesspoint/alias.mrap`,
    `arn:aws:s3:eu-west-1:${account}:bucket/photos`,
    `arn:aws:s3:eu-west-1:12345:accesspoint/reports`,
    `arn:aws:s3:eu-west-1:${account}:accesspoint/`,
    `arn:aws:s3:eu-west-1:${account}:outpost/op-1/accesspoint/reports`,
    `arn:aws:s3-outposts:eu-west-1:${account}:accesspoint/reports`,
    `arn:aws:s3:eu-west-1:${account}:accesspoint/a/../b`,
    `arn:aws:sns:eu-west-1:${account}:accesspoint/reports`,
  ])('is not %s', arn => {
    expect(parseAccessPointArn(arn)).toBeUndefined();
  });
});

describe('the host of an access point', () => {
  it.each([
    [`reports-${account}.s3-accesspoint-fips.us-east-1.amazonaws.com`],
    [`reports-${account}.s3-accesspoint.dualstack.us-east-1.amazonaws.com`],
  ])('has variants: %s', host => {
    expect(parseAccessPointHost(host)).toMatchObject({ service: 's3', name: 'reports', region: 'us-east-1' });
  });

  it.each([
    'photos.s3-eu-west-1.amazonaws.com',
    `reports-${account}.s3-outposts.us-east-1.amazonaws.com`,
    `reports-${account}.op-1.s3-accesspoint.us-east-1.amazonaws.com`,
    'reports-12345.s3-accesspoint.us-east-1.amazonaws.com',
    `reports-${account}.s3-accesspoint.us-east-1`,
  ])('is not %s', host => {
    expect(parseAccessPointHost(host)).toBeUndefined();
  });
});

describe.each(['s3', 's3-object-lambda', 's3-outposts'] as const)('a request signed for %s', service => {
  const nowMs = Date.UTC(2026, 0, 2);
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
  const host = `reports-${account}.example.test`;
  const payload = { 'x-amz-content-sha256': UNSIGNED_PAYLOAD };
  const smithy = new SignatureV4({
    service,
    region: 'eu-west-1',
    sha256: Sha256,
    uriEscapePath: false,
    credentials,
  });
  const theirs = () =>
    smithy.sign(
      {
        method: 'GET',
        protocol: 'https:',
        hostname: host,
        path: '/a/b',
        headers: { host, ...payload },
      },
      { signingDate: new Date(nowMs) },
    );

  it('has the signature that an independent signer makes', async () => {
    const added = signRequest(
      { method: 'GET', host, rawPath: '/a/b', rawQuery: '', headers: [], payloadHash: UNSIGNED_PAYLOAD },
      { credentials, region: 'eu-west-1', service, headerPrefix: 'x-amz-', nowMs, keys: new SigningKeys() },
    );
    expect(Object.fromEntries(added).authorization).toBe((await theirs()).headers.authorization);
  });

  it('is verified', async () => {
    const clock = new ManualClock(nowMs);
    const verifier = new SigV4Verifier({ findClient: () => credentials, clock, keys: new SigningKeys() });
    const rawHeaders = Object.entries((await theirs()).headers).flat();
    expect(verifier.verify({ method: 'GET', url: '/a/b', rawHeaders }).kind).toBe('signed');
  });
});
