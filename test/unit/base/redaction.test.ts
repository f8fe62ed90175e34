import { expect, it } from 'vitest';
import { createRedactor, GrowingRedactor } from '../../../src/base/redaction.ts';

const redact = createRedactor(['https://hooks.example.test/in/4f2a', 'https://hooks']);
const SIGNATURE = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';

it.each([
  { url: `/photos/cat?X-Amz-Expires=60&X-Amz-Signature=${SIGNATURE}` },
  { url: `/photos/cat?x-store-signature=${SIGNATURE}&versionId=7` },
  { url: `/photos/cat?AWSAccessKeyId=AKID&Signature=${SIGNATURE}` },
  { message: `header was AWS4-HMAC-SHA256 Credential=AKID/x, Signature=${SIGNATURE}` },
  {
    rawHeaders: [
      'Host',
      'x',
      'Authorization',
      `AWS4-HMAC-SHA256 Signature=${SIGNATURE}`,
      'Range',
      'bytes=0-1',
    ],
  },
  { headers: { 'x-amz-security-token': SIGNATURE } },
  { headers: { 'x-amz-s3session-token': SIGNATURE } },
  { message: `got https://store.test/b/k?X-Amz-S3session-Token=${SIGNATURE}` },
  { headers: { 'x-amz-mfa': SIGNATURE } },
  { url: `/photos/cat?x-store-mfa=${SIGNATURE}` },
  { url: `/photos/cat?x-amz-server-side-encryption-customer-key=${SIGNATURE}&a=b` },
  { url: `https://prod.example.test/workflows/1?sv=1.0&sig=${SIGNATURE}` },
])('takes the secret out of %j', line => {
  const text = redact(JSON.stringify(line));
  expect(text).not.toContain(SIGNATURE);
  expect(() => JSON.parse(text)).not.toThrow();
});

it('keeps what is no secret', () => {
  const line = JSON.stringify({
    url: '/photos/cat?X-Amz-Credential=AKID&versionId=7',
    headers: { host: 'x', 'if-none-match': '"a"' },
  });
  expect(redact(line)).toBe(line);
});

it('takes the longest of several configured secrets', () => {
  expect(redact('{"to":"https://hooks.example.test/in/4f2a"}')).toBe('{"to":"[redacted]"}');
});

it.each([
  ['in capitals', 'wJalr%2FUtn%2BFEMI%3D'],
  ['in small letters', 'wJalr%2fUtn%2bFEMI%3d'],
  ['in part', 'wJalr/Utn%2BFEMI='],
  ['letters too', '%77%4Aalr%2FUt%6e+FEMI%3D'],
])('a configured secret is taken out of a URL that has it percent-encoded %s', (_, encoded) => {
  const redact = createRedactor(['wJalr/Utn+FEMI=']);
  expect(redact(`{"url":"/b/k?Expires=${encoded}&x=%20"}`)).toBe('{"url":"/b/k?Expires=[redacted]&x=%20"}');
});

it('what only begins like a percent-encoded secret stays', () => {
  const url = '{"url":"/b/k?x=wJalr%2FUtn"}';
  expect(createRedactor(['wJalr/Utn+FEMI='])(url)).toBe(url);
});

it.each(['1', 's', 'msg', 'status', ':', ',', '{', '"}', 'ready"'])(
  'a configured secret that may be a word stays: %s',
  secret => {
    const line = `{"level":"info","workers":1,"status":"ready","msg":"1 of 1 is ready"}\n`;
    expect(createRedactor([secret])(line)).toBe(line);
  },
);

it.each(['12345678', 'requestId', 'storeRequestId', '"requestId":', ':12345678', '}\n{"requestId'])(
  'numbers and names of fields stay, whatever the secret is: %s',
  secret => {
    const lines = '{"requestId":"a b","bytes":12345678}\n{"storeRequestId":"c d","bytes":12345678.5}\n';
    expect(createRedactor([secret])(lines)).toBe(lines);
  },
);

it.each([
  ['in values that are like names', 'requestId', '{"a":["requestId"]}', '{"a":["[redacted]"]}'],
  ['in names that are not the own', 'x-12345678', '{"x-12345678":1}', '{"[redacted]":1}'],
  ['escaped in names', 'quoted"secret', '{"quoted\\"secret":1}', '{"[redacted]":1}'],
  [
    'in values behind numbers',
    '12345678',
    '{"a":12345678,"b":"12345678"}',
    '{"a":12345678,"b":"[redacted]"}',
  ],
  ['in what stands within a string', '12345678', 'a 12345678 \\" b', 'a [redacted] \\" b'],
  ['percent-encoded in values alone', '12345678', '{"%31":1,"b":"1234567%38"}', '{"%31":1,"b":"[redacted]"}'],
])('a configured secret is taken out %s', (_, secret, text, expected) => {
  expect(createRedactor([secret])(text)).toBe(expected);
});

it('secrets that change are taken out as soon as they are known, and for a while after they were replaced', () => {
  const redactor = new GrowingRedactor();
  redactor.learn(['fixed-secret']);
  const line = '"fixed-secret secret-1 secret-2 secret-3 secret-4 another-1"';
  expect(redactor.redact(line)).toBe('"[redacted] secret-1 secret-2 secret-3 secret-4 another-1"');
  redactor.replace('other', ['another-1']);
  for (const number of [1, 2, 3]) redactor.replace('main', [`secret-${number}`]);
  expect(redactor.redact(line)).toBe('"[redacted] [redacted] [redacted] [redacted] secret-4 [redacted]"');
  redactor.replace('main', ['secret-4']);
  expect(redactor.redact(line)).toBe('"[redacted] secret-1 [redacted] [redacted] [redacted] [redacted]"');
});
