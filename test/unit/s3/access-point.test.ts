import { describe, expect, it } from 'vitest';
import {
  accessPointHost,
  formatAccessPointArn,
  parseAccessPointArn,
  parseAccessPointHost,
} from '../../../src/s3/access-point.ts';

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
