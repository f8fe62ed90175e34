import { afterAll, beforeAll, expect, it } from 'vitest';
import { AdminError } from '../../../../src/admin/admin-route.ts';
import type { SigningCertificates } from '../../../../src/admin/events/signing-certificates.ts';
import { CERTIFICATE_URL, SignedTopic } from '../../../support/signed-topic.ts';

const DAY_MS = 86_400_000;
let topic: SignedTopic;
let pem: string;

beforeAll(() => {
  topic = new SignedTopic();
  pem = topic.served.get(CERTIFICATE_URL) ?? '';
});
afterAll(() => topic.remove());

async function refusal(certificates: SigningCertificates, url = CERTIFICATE_URL) {
  try {
    await certificates.keyAt(url);
  } catch (error) {
    if (error instanceof AdminError) return { status: error.status, reason: error.message };
    throw error;
  }
  return 'none';
}

/** Those that find `text` everywhere, and how often they have asked. */
function finding(text: string) {
  let count = 0;
  const certificates = topic.certificatesBy(async () => {
    count++;
    return text;
  });
  return { certificates, asked: () => count };
}

it('a certificate is fetched once, by all who want it at a time', async () => {
  const { certificates, asked } = finding(pem);
  const keys = await Promise.all([1, 2, 3, 4, 5, 6].map(() => certificates.keyAt(CERTIFICATE_URL)));
  expect(new Set(keys.map(key => key.asymmetricKeyType))).toEqual(new Set(['rsa']));
  await certificates.keyAt(CERTIFICATE_URL);
  expect(asked()).toBe(1);
});

it.each([
  ['no certificate', () => 'text', 'cannot be read'],
  ['no signer', () => topic.serve('example.test', 2, 2_048), 'for another name'],
  [
    'a name that only begins so',
    () => topic.serve('sns.amazonaws.com.evil.test', 2, 2_048),
    'for another name',
  ],
  ['another service', () => topic.serve('s3.amazonaws.com', 2, 2_048), 'for another name'],
  ['a short key', () => topic.serve('sns.amazonaws.com', 2, 1_024), 'no RSA key of 2048'],
  ['another kind of key', () => topic.serve('sns.amazonaws.com', 2), 'no RSA key of 2048'],
  ['an expired one', () => topic.serve('sns.amazonaws.com', 0, 2_048), 'has expired'],
])('%s proves nothing', async (_, make, reason) => {
  const text = make() ?? topic.served.get(CERTIFICATE_URL) ?? '';
  expect(await refusal(finding(text).certificates)).toEqual({
    status: 403,
    reason: expect.stringContaining(reason),
  });
});

it.each([
  'sns-signing.af-south-1.amazonaws.com',
  'sns-cn-north-1.amazonaws.com.cn',
  'sns.eu-west-1.amazonaws.com',
])('%s may sign', async name => {
  topic.serve(name, 2, 2_048);
  expect(await refusal(finding(topic.served.get(CERTIFICATE_URL) ?? '').certificates)).toBe('none');
});

it('one that is held ends with its time', async () => {
  const other = new SignedTopic();
  expect(await refusal(other.certificates)).toBe('none');
  other.clock.advance(3 * DAY_MS);
  expect(await refusal(other.certificates)).toMatchObject({
    status: 403,
    reason: expect.stringContaining('expired'),
  });
  other.remove();
});

it('where none comes it is to be sent again, and nothing is asked for ten seconds', async () => {
  let count = 0;
  const certificates = topic.certificatesBy(async () => {
    if (++count === 1) throw new Error('it answered 500');
    return pem;
  });
  const failed = { status: 503, reason: expect.stringContaining('it answered 500') };
  expect(await refusal(certificates)).toEqual(failed);
  expect(await refusal(certificates)).toEqual(failed);
  topic.clock.advance(9_999);
  expect(await refusal(certificates)).toEqual(failed);
  expect(count).toBe(1);
  topic.clock.advance(1);
  expect(await refusal(certificates)).toBe('none');
  expect(count).toBe(2);
});

it('who makes up addresses has four asked at a time, and takes no place of one that is good', async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  promise.catch(() => undefined);
  let asked = 0;
  const certificates = topic.certificatesBy(async url => {
    asked++;
    return url === CERTIFICATE_URL ? pem : promise;
  });
  await certificates.keyAt(CERTIFICATE_URL);
  const all = Array.from({ length: 200 }, (_, index) => refusal(certificates, `made-up-${index}`));
  expect(asked).toBe(5);
  reject(new Error('no answer'));
  const answers = await Promise.all(all);
  expect(new Set(answers.map(answer => answer !== 'none' && answer.status))).toEqual(new Set([503]));
  for (let index = 0; index < 200; index++) await refusal(certificates, `again-${index}`);
  const before = asked;
  expect(await refusal(certificates)).toBe('none');
  expect(asked).toBe(before);
});
