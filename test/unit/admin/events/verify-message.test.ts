import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AdminError } from '../../../../src/admin/admin-route.ts';
import { verifyMessage } from '../../../../src/admin/events/verify-message.ts';
import { CERTIFICATE_URL, type Envelope, SignedTopic, TOPIC_ARN } from '../../../support/signed-topic.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
let topic: SignedTopic;
let pem: string;

beforeAll(() => {
  topic = new SignedTopic();
  pem = topic.served.get(CERTIFICATE_URL) ?? '';
});
beforeEach(() => {
  topic.served.set(CERTIFICATE_URL, pem);
});
afterAll(() => topic.remove());

const verified = (
  envelope: unknown,
  topics: readonly string[] = [TOPIC_ARN],
  certificates = topic.certificates,
) => verifyMessage(envelope, { topics, certificates, clock: topic.clock });

async function refusal(
  envelope: unknown,
  topics?: readonly string[],
  certificates?: SignedTopic['certificates'],
) {
  try {
    await verified(envelope, topics, certificates);
  } catch (error) {
    if (error instanceof AdminError) return { status: error.status, reason: error.message };
    throw error;
  }
  return 'none';
}

const refused = (reason: string) => ({ status: 403, reason: expect.stringContaining(reason) });

it.each(['1', '2'] as const)(
  'takes what is signed with version %s, with a subject or without, and nothing beside it',
  async version => {
    for (const more of [{}, { Subject: 'Amazon S3 Notification' }]) {
      const envelope = topic.notification('{"Records":[]}\nMessageId\nü', more, version);
      const { SignatureVersion, Signature, SigningCertURL, ...signed } = envelope;
      expect(await verified({ ...envelope, Records: [{}], UnsubscribeURL: 'https://x' })).toEqual(signed);
    }
  },
);

it.each(['SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const)('takes a signed %s', async type => {
  expect(await verified(topic.confirmation(type))).toMatchObject({ Type: type, Token: 't' });
});

describe('a message of which something was changed', () => {
  const kinds: readonly (readonly [string, () => Envelope])[] = [
    ['a notification', () => topic.notification('text', { Subject: 'subject' })],
    ['a notification without a subject', () => topic.notification('text')],
    ['a notification of version 1', () => topic.notification('text', {}, '1')],
    ['a confirmation', () => topic.confirmation('SubscriptionConfirmation')],
    ['a farewell', () => topic.confirmation('UnsubscribeConfirmation')],
  ];

  it.each(kinds)('%s: each field counts, changed, left out or of another kind', async (_, make) => {
    const whole = make();
    expect(await refusal(whole)).toBe('none');
    for (const [name, value] of Object.entries(whole)) {
      const without = Object.fromEntries(Object.entries(whole).filter(([other]) => other !== name));
      const changed = [
        `${value}x`,
        `x${value}`,
        `${value}\n`,
        ` ${value}`,
        '',
        String(value).slice(1),
        null,
        1,
        [value],
        {},
      ];
      for (const other of changed) {
        const what = `${name}: ${JSON.stringify(other)}`;
        expect([what, await refusal({ ...whole, [name]: other })]).toEqual([
          what,
          refused('is not signed by'),
        ]);
      }
      expect([name, await refusal(without)]).toEqual([name, refused('is not signed by')]);
    }
  });

  it('cannot take another version, kind, field or border between fields', async () => {
    const notification = topic.notification('text', { Subject: 'subject' });
    const { Subject, ...others } = notification;
    const confirmation = topic.confirmation('SubscriptionConfirmation');
    const bad: Envelope[] = [
      { ...notification, SignatureVersion: '1' },
      { ...topic.notification('text', {}, '1'), SignatureVersion: '2' },
      { ...notification, SignatureVersion: '3' },
      { ...notification, SignatureVersion: 2 },
      { ...others, MessageId: `${others.MessageId}\nSubject\n${Subject}` },
      { ...topic.notification('text'), Subject: 'another' },
      { ...confirmation, Type: 'UnsubscribeConfirmation' },
      { ...confirmation, Type: 'Notification' },
      { ...notification, Type: 'SubscriptionConfirmation', SubscribeURL: 'https://x', Token: 't' },
      { ...topic.notification('a\ufffdb'), Message: 'a\ud800b' },
    ];
    for (const [index, envelope] of bad.entries())
      expect([index, await refusal(envelope)]).toEqual([index, refused('is not signed by')]);
    for (const nothing of [null, 'text', [], {}, [notification]])
      expect(await refusal(nothing)).toEqual(refused('is not signed by'));
  });
});

it('another topic counts for nothing, however well it is signed', async () => {
  const other = TOPIC_ARN.replace('photos', 'films');
  expect(await refusal(topic.notification('text', { TopicArn: other }))).toEqual(
    refused('TopicArn: another topic'),
  );
  expect(await refusal(topic.notification('text', { TopicArn: other }), [TOPIC_ARN, other])).toBe('none');
  expect(await refusal(topic.notification('text', { TopicArn: `${TOPIC_ARN} ` }))).toEqual(
    refused('TopicArn'),
  );
});

it('a message counts for as long as topics send it, and clocks may differ by a quarter of an hour', async () => {
  const at = (ageMs: number) =>
    topic.notification('text', { Timestamp: new Date(topic.clock.nowMs() - ageMs).toISOString() });
  for (const ageMs of [0, HOUR_MS, HOUR_MS + 14 * MINUTE_MS, -14 * MINUTE_MS])
    expect(await refusal(at(ageMs))).toBe('none');
  for (const ageMs of [HOUR_MS + 16 * MINUTE_MS, -16 * MINUTE_MS])
    expect(await refusal(at(ageMs))).toEqual(refused('Timestamp'));
  for (const Timestamp of ['2026-99-99T00:00:00Z', 'now', '1', new Date().toUTCString()])
    expect(await refusal(topic.notification('text', { Timestamp }))).toEqual(refused('Timestamp'));
});

describe('the address of the certificate', () => {
  const file = 'SimpleNotificationService-0f1e.pem';
  it.each([
    `http://sns.eu-west-1.amazonaws.com/${file}`,
    `HTTPS://sns.eu-west-1.amazonaws.com/${file}`,
    `https://SNS.eu-west-1.amazonaws.com/${file}`,
    `https://sns.eu-west-1.amazonaws.com.evil/${file}`,
    `https://sns.eu-west-1.amazonaws.com.cn/${file}`,
    `https://sns.eu-west-1.amazonaws.com.:443/${file}`,
    `https://sns.eu-west-1.amazonaws.com:443/${file}`,
    `https://sns.eu-west-1.amazonaws.com:8443/${file}`,
    `https://u@sns.eu-west-1.amazonaws.com/${file}`,
    `https://sns.eu-west-1.amazonaws.com@evil.test/${file}`,
    `https://evil.test/sns.eu-west-1.amazonaws.com/${file}`,
    `https://sns.eu-west-2.amazonaws.com/${file}`,
    `https://evil-sns.eu-west-1.amazonaws.com/${file}`,
    `https://sns.s3.amazonaws.com/${file}`,
    `https://sns.eu-west-1.amazonaws.com/bucket/${file}`,
    `https://sns.eu-west-1.amazonaws.com//${file}`,
    `https://sns.eu-west-1.amazonaws.com/../${file}`,
    `https://sns.eu-west-1.amazonaws.com/?x=/${file}`,
    `https://sns.eu-west-1.amazonaws.com\\${file}`,
    `https://sns.eu-west-1.amazonaws.com/${file}?x`,
    `https://sns.eu-west-1.amazonaws.com/${file}#x`,
    `https://sns.eu-west-1.amazonaws.com/${file.toUpperCase()}`,
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0F1E.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-../x.pem',
    `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${'0'.repeat(65)}.pem`,
    'https://127.0.0.1/SimpleNotificationService-0f1e.pem',
    ` ${CERTIFICATE_URL}`,
    'file:///etc/passwd',
  ])('%s is not asked', async SigningCertURL => {
    topic.served.set(SigningCertURL, pem);
    const before = topic.fetched.length;
    const envelope = { ...topic.notification('text'), SigningCertURL };
    expect(await refusal(envelope)).toEqual(refused('SigningCertURL'));
    expect(topic.fetched).toHaveLength(before);
  });

  it('is that of the topic in China and where topics are of the government', async () => {
    for (const [arn, host] of [
      ['arn:aws-cn:sns:cn-north-1:123456789012:t', 'sns.cn-north-1.amazonaws.com.cn'],
      ['arn:aws-us-gov:sns:us-gov-west-1:123456789012:t', 'sns.us-gov-west-1.amazonaws.com'],
    ] as const) {
      const SigningCertURL = `https://${host}/${file}`;
      topic.served.set(SigningCertURL, pem);
      expect(await refusal({ ...topic.notification('text', { TopicArn: arn }), SigningCertURL }, [arn])).toBe(
        'none',
      );
    }
  });
});

it('nothing is fetched for who names another topic, an old message or no signature', async () => {
  const before = topic.fetched.length;
  const certificates = topic.certificatesBy(() => expect.unreachable());
  const old = topic.notification('text', { Timestamp: '2020-01-01T00:00:00Z' });
  expect(await refusal(old, undefined, certificates)).toEqual(refused('Timestamp'));
  expect(await refusal(topic.notification('text'), [], certificates)).toEqual(refused('TopicArn'));
  expect(await refusal({ ...topic.notification('text'), Signature: '%' }, undefined, certificates)).toEqual(
    refused('Signature: a signature in Base64'),
  );
  expect(topic.fetched).toHaveLength(before);
});
