import { Agent } from 'node:https';
import { connect } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab } from '../../../support/conformance/lab.ts';
import { readBySdk } from '../../../support/conformance/sdk-reads.ts';
import { OWNER } from '../../../support/embedded-store/store-under-test.ts';

const account = '123456789012';
const points = {
  [`arn:aws:s3:eu-west-1:${account}:accesspoint/ap`]: `ap-${account}.s3-accesspoint.eu-west-1`,
  [`arn:aws:s3-object-lambda:eu-west-1:${account}:accesspoint/ap`]: `ap-${account}.s3-object-lambda.eu-west-1`,
  [`arn:aws:s3-outposts:eu-west-1:${account}:outpost/op-1/accesspoint/ap`]: `ap-${account}.op-1.s3-outposts.eu-west-1`,
};

describe('docs/semantics.md, Bucket: the AWS SDK', () => {
  let lab: Lab;

  beforeAll(async () => {
    const buckets = Object.keys(points).map(name => [name, { bucketAtStore: 'box' }]);
    lab = await Lab.start({ buckets: Object.fromEntries(buckets) });
    await lab.store.put('/box');
    await lab.store.put('/box/a/b', 'content');
  });
  afterAll(() => lab.stop());

  /** Takes whatever is sent to the service of the name it was written for to the gateway, whose socket has no TLS. */
  const agentNoting = (hosts: Set<string>) => {
    const agent = new Agent();
    agent.createConnection = ({ host }) => {
      hosts.add(host ?? '');
      return connect(Number(new URL(lab.gateway.url()).port), '127.0.0.1');
    };
    return agent;
  };

  it.each(Object.entries(points))('is given %s in place of a bucket', async (Bucket, labels) => {
    const hosts = new Set<string>();
    const client = new S3Client({
      region: 'us-east-1',
      useArnRegion: true,
      credentials: OWNER,
      maxAttempts: 1,
      requestHandler: { httpsAgent: agentNoting(hosts) },
    });
    lab.forget();
    const before = await lab.requests();
    for (const _moment of ['cold', 'warm']) {
      expect(await readBySdk(client, { Bucket, Key: 'a/b' })).toMatchObject({ status: 200, body: 'content' });
    }
    expect(await lab.requests()).toBe(before + 1);
    expect([...hosts]).toEqual([`${labels}.amazonaws.com`]);
    client.destroy();
  });
});
