import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { secretsOf } from '../../../src/config/secrets.ts';

const parse = (queue: object) =>
  parseConfig(
    JSON.stringify({ backends: { main: { type: 's3', endpoint: 'http://store' } }, events: { queue } }),
    {},
  );

function problem(queue: object): string {
  try {
    parse(queue);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'none';
}

const url = 'https://sqs.eu-west-1.amazonaws.com/123456789012/photos';

it('is read with its defaults', () => {
  expect(parse({ url }).events).toEqual({
    queue: {
      ...{ url, region: 'eu-west-1', credentials: { kind: 'none' }, waitMs: 20_000, malformed: 'keep' },
    },
  });
});

it.each([
  ['https://sqs.cn-north-1.amazonaws.com.cn/1/q', undefined, 'cn-north-1'],
  ['https://sqs-fips.us-gov-west-1.amazonaws.com/1/q', undefined, 'us-gov-west-1'],
  ['https://sqs.us-east-2.api.aws/1/q', undefined, 'us-east-2'],
  ['http://127.0.0.1:9324/000000000000/q', undefined, 'us-east-1'],
  ['https://sqs.eu-west-1.amazonaws.com.example.test/1/q', undefined, 'us-east-1'],
  [url, 'local', 'local'],
])('%s with the region %s is signed for %s', (queue, region, expected) => {
  expect(parse({ url: queue, region }).events.queue?.region).toBe(expected);
});

describe('what it does not take', () => {
  it.each([
    [{ url: 'https://queue.test' }, 'events.queue.url'],
    [{ url: 'ftp://queue.test/q' }, 'events.queue.url'],
    [{ url: 'https://a:b@queue.test/q' }, 'events.queue.url'],
    [{ url: 'https://queue.test/q?Action=ReceiveMessage' }, 'events.queue.url'],
    [{ url, wait: '21s' }, 'events.queue.wait'],
    [{ url, malformed: 'forward' }, 'events.queue.malformed'],
    [{ url, backend: 'other' }, 'events.queue.backend'],
    [{ url, credentials: { from: 'environment' } }, 'events.queue.credentials.from'],
  ])('%j', (queue, path) => {
    expect(problem(queue)).toContain(path);
  });
});

it('has secrets that no log line shows', () => {
  const credentials = { accessKeyId: 'A', secretAccessKey: 'queue-secret', sessionToken: 'queue-token' };
  expect(secretsOf(parse({ url, credentials }))).toEqual(['queue-secret', 'queue-token']);
});

const arn = 'arn:aws:sns:eu-west-1:123456789012:photos';
const withTopics = (topics: unknown) =>
  parseConfig(JSON.stringify({ backends: {}, events: { sns: { topics } } }), {});

it('lists topics by their ARNs', () => {
  const topics = [
    arn,
    'arn:aws-cn:sns:cn-north-1:123456789012:a_b',
    'arn:aws-us-gov:sns:us-gov-west-1:123456789012:c',
  ];
  expect(withTopics(topics).events.sns).toEqual({ topics });
});

it.each([
  'photos',
  '*',
  arn.replace('sns', 'sqs'),
  arn.replace('photos', '*'),
  arn.replace('photos', 'photos.fifo'),
  arn.replace('eu-west-1', 'evil.test/'),
  arn.replace('eu-west-1', ''),
  `${arn}:6b0e71bd-7e97-4d97-80ce-4a0994e55286`,
  `${arn}\n`,
])('%j is no ARN of a topic that can send', topic => {
  expect(() => withTopics([topic])).toThrow(/events\.sns\.topics\[0\]/);
});

it('asks for one topic at least', () => {
  expect(() => withTopics([])).toThrow('at least one ARN');
});
