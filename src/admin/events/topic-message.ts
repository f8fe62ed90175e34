import { z } from 'zod';
import { AdminError } from '../admin-route.ts';

/** What a topic (Amazon SNS) has signed of a message, and by what that is known. */
export interface TopicMessage {
  /** What the signature is of, by name, and nothing else that the sender may have added. */
  readonly signed: Readonly<Record<string, string>>;
  readonly topicArn: string;
  readonly sentAtMs: number;
  readonly digest: 'RSA-SHA1' | 'RSA-SHA256';
  readonly signature: Uint8Array;
  readonly certificateUrl: string;
}

/** A character that has no bytes of its own would be signed as another one. */
const text = z.string({ error: 'a text' }).refine(value => value.isWellFormed(), { error: 'a text' });

/** Each value is signed as a line: were there breaks in it, the same signature would be of other fields. */
const line = text.refine(value => !/\p{Cc}/u.test(value), { error: 'a text of one line' });

const TIME = 'a time such as 2026-11-20T10:00:00.000Z';

const common = {
  Message: text,
  MessageId: line,
  Timestamp: line.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/, { error: TIME }),
  TopicArn: line,
  SignatureVersion: z.enum(['1', '2'], { error: '1 or 2' }),
  Signature: z.base64({ error: 'a signature in Base64' }).min(1, { error: 'a signature in Base64' }),
  SigningCertURL: line,
};

const confirmation = { ...common, SubscribeURL: line, Token: line };

const message = z.discriminatedUnion(
  'Type',
  [
    z.object({ ...common, Type: z.literal('Notification'), Subject: line.optional() }),
    z.object({ ...confirmation, Type: z.literal('SubscriptionConfirmation') }),
    z.object({ ...confirmation, Type: z.literal('UnsubscribeConfirmation') }),
  ],
  { error: 'Notification, SubscriptionConfirmation or UnsubscribeConfirmation' },
);

/** The fields that are signed, in this order (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html). */
const signedFields = [
  'Message',
  'MessageId',
  'Subject',
  'SubscribeURL',
  'Timestamp',
  'Token',
  'TopicArn',
  'Type',
] as const;

/** @throws AdminError 403, naming what is wrong: without all of its fields nobody can have signed it */
export function readTopicMessage(envelope: unknown): TopicMessage {
  const { success, data, error } = message.safeParse(envelope);
  if (!success) {
    const { path, message: expected } = error.issues[0] ?? { path: [], message: 'it is none' };
    throw notSigned([path.join('.'), expected].filter(Boolean).join(': '));
  }
  const given: Readonly<Partial<Record<string, string>>> = data;
  const signed = signedFields.flatMap(name => (given[name] === undefined ? [] : [[name, given[name]]]));
  return {
    signed: Object.fromEntries(signed),
    topicArn: data.TopicArn,
    sentAtMs: Date.parse(data.Timestamp),
    digest: data.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256',
    signature: Buffer.from(data.Signature, 'base64'),
    certificateUrl: data.SigningCertURL,
  };
}

/** What the signature is of: a line for the name and one for the value of each field. */
export function stringToSign({ signed }: Pick<TopicMessage, 'signed'>): string {
  return Object.entries(signed)
    .map(([name, value]) => `${name}\n${value}\n`)
    .join('');
}

/** The refusal of a message that does not come from a topic that may send. */
export function notSigned(why: string): AdminError {
  return new AdminError(
    403,
    'NOT_SIGNED',
    `the message is not signed by a topic of events.sns.topics: ${why}`,
  );
}
