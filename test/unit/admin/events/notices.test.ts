import { describe, expect, it } from 'vitest';
import { AdminError } from '../../../../src/admin/admin-route.ts';
import { readNotices } from '../../../../src/admin/events/notices.ts';

function record(eventName: string, bucket: string, key: string | undefined): object {
  const object =
    key === undefined ? {} : { object: { key, eTag: 'd41d8cd98f00b204e9800998ecf8427e', sequencer: '0A1B' } };
  const s3 = { s3SchemaVersion: '1.0', bucket: { name: bucket, arn: `arn:aws:s3:::${bucket}` }, ...object };
  return { eventVersion: '2.1', eventSource: 'aws:s3', eventTime: '2026-11-20T10:00:00Z', eventName, s3 };
}

const changed = (bucket: string, ...keys: string[]) => ({ kind: 'changed', change: { bucket, keys } });
const written = (bucket: string, ...keys: string[]) => ({
  kind: 'changed',
  change: { bucket, keys, isWritten: true },
});
const wholeBucket = (bucket: string) => ({ kind: 'changed', change: { bucket, keys: undefined } });
const ignored = { kind: 'ignored' };

/** A topic's envelope around `message`. */
function notification(message: unknown): object {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  return { Type: 'Notification', MessageId: '1', TopicArn: 'arn:aws:sns:eu-west-1:1:t', Message: text };
}

function busEvent(type: string, detail: object): object {
  return { version: '0', id: '1', 'detail-type': type, source: 'aws.s3', region: 'eu-west-1', detail };
}

const TOPIC = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t';

const confirmation = (SubscribeURL: string) => ({
  Type: 'SubscriptionConfirmation',
  Token: 't',
  SubscribeURL,
});

describe('what an event means', () => {
  it.each([
    ['a write', record('ObjectCreated:Put', 'b', 'x'), written('b', 'x')],
    ['a copy, as MinIO has it', record('s3:ObjectCreated:Copy', 'b', 'x'), written('b', 'x')],
    ['a deletion, as MinIO has it', record('s3:ObjectRemoved:Delete', 'b', 'x'), changed('b', 'x')],
    ['tags, restores and what nobody knows yet', record('s3:NewOnes:Put', 'b', 'x'), changed('b', 'x')],
    ['a key as a form has it', record('ObjectCreated:Put', 'b', 'a+b%2Fc'), written('b', 'a+b%2Fc', 'a b/c')],
    ['a key with a stray percent sign', record('ObjectCreated:Put', 'b', '100%'), written('b', '100%')],
    ['a bucket that is gone', record('s3:BucketRemoved:*', 'b', ''), wholeBucket('b')],
    ['a bucket without an object', record('s3:BucketRemoved:*', 'b', undefined), wholeBucket('b')],
    ['a read', record('s3:ObjectAccessed:Get', 'b', 'x'), ignored],
  ])('%s', (_, one, notice) => {
    expect(readNotices({ Records: [one] })).toEqual([notice]);
    expect(readNotices(notification({ Records: [one] }))).toEqual([notice]);
  });

  it.each([
    [
      'a write',
      busEvent('Object Created', { bucket: { name: 'b' }, object: { key: 'a+b' } }),
      written('b', 'a+b'),
    ],
    [
      'tags',
      busEvent('Object Tags Added', { bucket: { name: 'b' }, object: { key: 'x' } }),
      changed('b', 'x'),
    ],
    [
      'what nobody knows yet',
      busEvent('New Kind', { bucket: { name: 'b' }, object: { key: 'x' } }),
      changed('b', 'x'),
    ],
    ['something else', busEvent('Scheduled Event', { bucket: { name: 'b' } }), ignored],
  ])('of a bus: %s', (_, event, notice) => {
    expect(readNotices(event)).toEqual([notice]);
  });

  it('of a store that only asks whether somebody is there, and of a topic that leaves', () => {
    const test = { Service: 'Amazon S3', Event: 's3:TestEvent', Time: '2026-11-20T10:00:00Z', Bucket: 'b' };
    expect(readNotices(test)).toEqual([ignored]);
    expect(readNotices(notification(test))).toEqual([ignored]);
    expect(readNotices({ Type: 'UnsubscribeConfirmation', SubscribeURL: 'https://x' })).toEqual([ignored]);
  });

  it('of a topic that asks for consent', () => {
    expect(readNotices(confirmation(TOPIC))).toEqual([{ kind: 'confirmation', url: new URL(TOPIC) }]);
  });
});

it('reads many, in records and lists', () => {
  const both = { Records: [record('ObjectCreated:Put', 'b', '1'), record('ObjectRemoved:Delete', 'b', '2')] };
  expect(readNotices(both)).toEqual([written('b', '1'), changed('b', '2')]);
  expect(readNotices([both, notification(both)])).toHaveLength(4);
  expect(readNotices({ Records: [] })).toEqual([]);
});

it.each([
  [null, 'neither Records'],
  ['text', 'neither Records'],
  [{}, 'neither Records'],
  [{ Records: 'x' }, 'Records: a list of event records'],
  [{ Records: [record('ObjectCreated:Put', 'b', 'x'), {}] }, 'Records.1.eventName: a text'],
  [{ Records: [{ eventName: 'ObjectCreated:Put', s3: { object: { key: 'x' } } }] }, 'Records.0.s3.bucket'],
  [{ Records: [record('ObjectCreated:Put', '', 'x')] }, 'Records.0.s3.bucket.name: a text that is not empty'],
  [
    { Records: [{ eventName: 'a', s3: { bucket: { name: 'b' }, object: { key: 7 } } }] },
    'Records.0.s3.object.key',
  ],
  [busEvent('Object Created', { object: { key: 'x' } }), 'detail.bucket'],
  [{ Type: 'Surprise' }, 'Notification, SubscriptionConfirmation or UnsubscribeConfirmation'],
  [notification('no json'), 'Message: no JSON'],
  [notification(notification({ Records: [] })), 'Message: an envelope in an envelope'],
  [notification({ Records: [{}] }), 'Records.0.eventName'],
  [confirmation('http://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription'), 'SubscribeURL'],
  [confirmation('https://sns.eu-west-1.amazonaws.com.evil.test/?Action=ConfirmSubscription'), 'SubscribeURL'],
  [confirmation('https://127.0.0.1/?Action=ConfirmSubscription'), 'SubscribeURL'],
  [confirmation('https://sns.eu-west-1.amazonaws.com:8443/?Action=ConfirmSubscription'), 'SubscribeURL'],
  [confirmation('https://u@sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription'), 'SubscribeURL'],
  [confirmation('https://sns.eu-west-1.amazonaws.com/?Action=DeleteTopic'), 'SubscribeURL'],
  [confirmation('https://sns.eu-west-1.amazonaws.com/ping?Action=ConfirmSubscription'), 'SubscribeURL'],
  [confirmation('nonsense'), 'SubscribeURL'],
  [[confirmation(TOPIC), confirmation(TOPIC)], 'a body may confirm one topic'],
])('refuses %j and says why', (body, reason) => {
  const refused = () => readNotices(body);
  expect(refused).toThrow(AdminError);
  expect(refused).toThrow(reason);
});

it('takes 500 events at once, and tells the faults of no more than a few', () => {
  const many = (count: number) => Array.from({ length: count }, () => record('ObjectCreated:Put', 'b', 'x'));
  expect(readNotices({ Records: many(500) })).toHaveLength(500);
  expect(() => readNotices({ Records: many(501) })).toThrow('a body may have at most 500 events');
  expect(() => readNotices([{ Records: many(300) }, { Records: many(201) }])).toThrow('at most 500');
  expect(() => readNotices(Array(501).fill(null))).toThrow('at most 500');
  // nothing is told of them: each has three faults
  expect(() => readNotices({ Records: Array(100_000).fill({}) })).toThrow('at most 500');
  expect(() => readNotices({ Records: Array(400).fill({}) })).toThrow(/^(?:[^;]*;){5} and more$/);
});

it('refuses lists in lists, however deep', () => {
  expect(() => readNotices([[{ Records: [] }]])).toThrow('neither Records');
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(() => readNotices(notification(deep))).toThrow(AdminError);
});
