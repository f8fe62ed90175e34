import { verify } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { SigningCertificates } from './signing-certificates.ts';
import { notSigned, readTopicMessage, stringToSign, type TopicMessage } from './topic-message.ts';

interface VerifierParts {
  /** The ARNs of those that may send. */
  readonly topics: readonly string[];
  readonly certificates: Pick<SigningCertificates, 'keyAt'>;
  readonly clock: Clock;
}

/** Clocks may differ by so much, as for requests to the store. */
const SKEW_MS = 15 * 60_000;

/** A topic goes on sending a message for an hour (https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html). */
const MAX_AGE_MS = 60 * 60_000 + SKEW_MS;

/**
 * Whether a listed topic has signed a message lately. Within that time it counts as often as it comes: topics send twice
 * themselves, and an event that comes twice is harmless. What costs nothing is looked at before a certificate is fetched.
 *
 * @returns the fields that are signed, and none beside these
 * @throws AdminError 403 where that is not so, 503 where it cannot be known now
 */
export async function verifyMessage(
  envelope: unknown,
  { topics, certificates, clock }: VerifierParts,
): Promise<TopicMessage['signed']> {
  const message = readTopicMessage(envelope);
  if (!topics.includes(message.topicArn)) throw notSigned('TopicArn: another topic');
  requireOwnCertificate(message);
  const ageMs = clock.nowMs() - message.sentAtMs;
  // also for a date that there is none of
  if (!(ageMs <= MAX_AGE_MS && ageMs >= -SKEW_MS)) throw notSigned('Timestamp: too long ago, or yet to come');
  const key = await certificates.keyAt(message.certificateUrl);
  if (!verify(message.digest, Buffer.from(stringToSign(message)), key, message.signature))
    throw notSigned('Signature: of something else, or by somebody else');
  return message.signed;
}

/**
 * A certificate is believed for where it is: on the host of the topic's own region. The address is compared as it is written, since
 * what URLs allow beside that (ports, users, capitals, dots) leads elsewhere.
 */
function requireOwnCertificate({ certificateUrl, topicArn }: TopicMessage): void {
  const [, partition, , region] = topicArn.split(':');
  const start = `https://sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}/SimpleNotificationService-`;
  const isOwn =
    certificateUrl.startsWith(start) && /^[0-9a-f]{1,64}\.pem$/.test(certificateUrl.slice(start.length));
  if (!isOwn) throw notSigned(`SigningCertURL: expected ${start}….pem`);
}
