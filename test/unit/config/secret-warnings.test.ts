import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { secretWarnings } from '../../../src/config/secret-warnings.ts';
import { secretsOf } from '../../../src/config/secrets.ts';

const SHORT = 's3cret7';
const LONG = 's3cret78';

const configWith = (secret: string) =>
  parseConfig(
    `backends:
  main:
    type: s3
    endpoint: 'http://127.0.0.1:1'
    credentials: { accessKeyId: a, secretAccessKey: ${secret}, sessionToken: ${secret} }
  other: { type: s3, endpoint: 'http://127.0.0.1:2', credentials: { from: environment } }
buckets: { photos: { backend: main, access: verify } }
clients: [{ accessKeyId: a, secretAccessKey: ${secret}, previousSecretAccessKey: ${secret}b, allow: [] }]
events:
  queue:
    url: https://sqs.eu-west-1.amazonaws.com/123456789012/NAME
    credentials: { accessKeyId: a, secretAccessKey: ${secret} }
admin: { token: ${secret}, eventsToken: ${secret} }`,
    { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: secret },
  );

it('short secrets and tokens are warned of, and are secrets all the same', () => {
  const config = configWith(SHORT);
  const warnings = [...secretWarnings(config)];
  expect(
    warnings.map(({ path, consequence }) => `${path.join('.')}: ${consequence.split(' of ', 1)}`),
  ).toEqual([
    'admin.token: a token',
    'admin.eventsToken: a token',
    'clients.0.secretAccessKey: a secret',
    'backends.main.credentials: a secretAccessKey',
    'backends.main.credentials: a sessionToken',
    'backends.other.credentials: a secretAccessKey',
    'events.queue.credentials: a secretAccessKey',
  ]);
  expect(secretsOf(config)).toContain(SHORT);
});

it('secrets of eight characters are not', () => {
  expect([...secretWarnings(configWith(LONG))]).toEqual([]);
});
