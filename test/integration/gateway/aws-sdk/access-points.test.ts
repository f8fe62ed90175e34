import { Agent as PlainAgent } from 'node:http';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab } from '../../../support/conformance/lab.ts';
import { readBySdk } from '../../../support/conformance/sdk-reads.ts';
import { OWNER } from '../../../support/embedded-store/store-under-test.ts';

const account = '123456789012';
/** What stands before the host of the service, and before that of an endpoint which the program was given. */
const points = {
  [`arn:aws:s3:eu-west-1:${account}:accesspoint/ap`]: [
    `ap-${account}.s3-accesspoint.eu-west-1`,
    `ap-${account}`,
  ],
  [`arn:aws:s3-object-lambda:eu-west-1:${account}:accesspoint/ap`]: [
    `ap-${account}.s3-object-lambda.eu-west-1`,
    `ap-${account}`,
  ],
  [`arn:aws:s3-outposts:eu-west-1:${account}:outpost/op-1/accesspoint/ap`]: [
    `ap-${account}.op-1.s3-outposts.eu-west-1`,
    `ap-${account}.op-1`,
  ],
} as const;

describe('docs/semantics.md, Bucket: the AWS SDK', () => {
  let lab: Lab;

  beforeAll(async () => {
    const buckets = Object.keys(points).map((name, index) => [name, { bucketAtStore: `box-${index}` }]);
    lab = await Lab.start({ buckets: Object.fromEntries(buckets), gateway: { domain: 'gate.test' } });
    for (const [index, name] of Object.keys(points).entries()) {
      await lab.store.put(`/box-${index}`);
      await lab.store.put(`/box-${index}/a/b`, name);
    }
  });
  afterAll(() => lab.stop());

  /** Takes whatever is sent to the hosts that it was written for to the gateway, whose socket has no TLS. */
  const noting = <Kind extends PlainAgent>(agent: Kind, hosts: Set<string>) => {
    agent.createConnection = ({ host }) => {
      hosts.add(host ?? '');
      return connect(Number(new URL(lab.gateway.url()).port), '127.0.0.1');
    };
    return agent;
  };

  /** Reads an object cold and warm, from the region of the point and from another one; gives the hosts that it asked. */
  async function readFrom(Bucket: string, config: S3ClientConfig): Promise<readonly string[]> {
    const hosts = new Set<string>();
    const requestHandler = {
      httpAgent: noting(new PlainAgent(), hosts),
      httpsAgent: noting(new Agent(), hosts),
    };
    for (const region of ['eu-west-1', 'us-east-1']) {
      const client = new S3Client({
        ...{ ...config, region, requestHandler, useArnRegion: true, credentials: OWNER, maxAttempts: 1 },
      });
      lab.forget();
      const before = await lab.requests();
      for (const _moment of ['cold', 'warm'])
        expect(await readBySdk(client, { Bucket, Key: 'a/b' })).toMatchObject({ status: 200, body: Bucket });
      expect(await lab.requests()).toBe(before + 1);
      client.destroy();
    }
    return [...hosts];
  }

  it.each(Object.entries(points))('is given %s in place of a bucket', async (name, [labels]) => {
    expect(await readFrom(name, {})).toEqual([`${labels}.amazonaws.com`]);
  });

  it.each(Object.entries(points))(
    'is given %s, and the gateway as its endpoint',
    async (name, [, labels]) => {
      expect(await readFrom(name, { endpoint: 'http://gate.test' })).toEqual([`${labels}.gate.test`]);
    },
  );
});
