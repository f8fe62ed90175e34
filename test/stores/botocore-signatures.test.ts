import { expect, it } from 'vitest';
import { EMPTY_PAYLOAD_HASH } from '../../src/s3/sigv4-canonical.ts';
import { SigningKeys } from '../../src/s3/sigv4-keys.ts';
import { presignUrl, type SigningContext, signRequest } from '../../src/s3/sigv4-sign.ts';
import { SigV4Verifier } from '../../src/s3/sigv4-verify.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { run } from '../support/real-process.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a/secret+key', sessionToken: 'to/k+en=' };

/** Signs what it reads with the signers that the AWS command line uses, in headers and in a URL. */
const signer = `
import json, sys
from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

job = json.load(sys.stdin)
who = Credentials(job['accessKeyId'], job['secretAccessKey'], job['sessionToken'])
answers = []
for url in job['urls']:
    in_headers = AWSRequest('GET', url, headers={'x-amz-checksum-mode': 'ENABLED'})
    S3SigV4Auth(who, 's3', 'eu-west-1').add_auth(in_headers)
    in_url = AWSRequest('HEAD', url)
    S3SigV4QueryAuth(who, 's3', 'eu-west-1', expires=600).add_auth(in_url)
    answers.append({'headers': dict(in_headers.headers), 'presigned': in_url.url})
json.dump(answers, sys.stdout)
`;

const origin = 'http://gate.test:8080';
const targets = [
  '/b/plain.txt',
  '/b/a%20b%2Bc/%C3%BC%F0%9F%98%80%25/d~e',
  '/b//double//a/../b/./',
  "/b/!$&'()*,;=:@",
  '/b/k?versionId=v%2F1%3D&response-content-type=text%2Fplain',
  '/b/k?partNumber=2&acl=',
];

interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly presigned: string;
}

async function signedByBotocore(): Promise<readonly Signed[]> {
  const input = JSON.stringify({ ...credentials, urls: targets.map(target => origin + target) });
  return JSON.parse(await run('python3', ['-c', signer], { input }));
}

const pathAndQuery = (target: string) => {
  const [rawPath = '', rawQuery = ''] = target.split('?');
  return { rawPath, rawQuery };
};

/** The moment of a signature, from its timestamp. */
function momentOf(timestamp: string): number {
  return Date.parse(timestamp.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'));
}

it('botocore and the gateway sign alike, and the gateway accepts what botocore signed', async () => {
  const answers = await signedByBotocore();
  expect(answers).toHaveLength(targets.length);
  for (const [index, { headers, presigned }] of answers.entries()) {
    const target = targets[index] ?? '';
    const timestamp = headers['X-Amz-Date'] ?? '';
    const keys = new SigningKeys();
    const context: SigningContext = {
      credentials,
      region: 'eu-west-1',
      headerPrefix: 'x-amz-',
      nowMs: momentOf(timestamp),
      keys,
    };

    const clock = new ManualClock(context.nowMs);
    const verifier = new SigV4Verifier({ findClient: () => credentials, clock, keys });
    const rawHeaders = ['Host', 'gate.test:8080', ...Object.entries(headers).flat()];
    expect(verifier.verify({ method: 'GET', url: target, rawHeaders }, 'eu-west-1').kind).toBe('signed');
    const url = presigned.slice(origin.length);
    const host = ['Host', 'gate.test:8080'];
    expect(verifier.verify({ method: 'HEAD', url, rawHeaders: host }, 'eu-west-1').kind).toBe('signed');

    const added = signRequest(
      {
        method: 'GET',
        host: 'gate.test:8080',
        ...pathAndQuery(target),
        headers: [['x-amz-checksum-mode', 'ENABLED']],
        payloadHash: EMPTY_PAYLOAD_HASH,
      },
      context,
    );
    const theirs = new URL(presigned).searchParams;
    const nowMs = momentOf(theirs.get('X-Amz-Date') ?? '');
    const ours = new URL(
      presignUrl({ method: 'HEAD', origin, ...pathAndQuery(target), expiresS: 600 }, { ...context, nowMs }),
    ).searchParams;
    // botocore signs a path as it is given, the gateway the canonical form that it sends to stores.
    if (target.includes('!')) continue;
    expect(Object.fromEntries(added).authorization).toBe(headers.Authorization);
    expect(ours.get('X-Amz-Signature')).toBe(theirs.get('X-Amz-Signature'));
  }
});
