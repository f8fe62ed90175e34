import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loggedUrl } from '../../../src/s3/logged-url.ts';
import { fullyDecoded } from '../../../src/s3/percent-decode.ts';

const secret = 'aeeed9bbccd4d02e';

it.each([
  `/b/k?X-Amz-Signature=${secret}`,
  `/b/k?X-Amz-Signatur%65=${secret}`,
  `/b/k?X-Amz-Signatur%2565=${secret}`,
  `/b/k?%58-%41mz-%53ignature=${secret}&versionId=7`,
  `/b/k?a=b&x-store-SIGNATURE=${secret}`,
  `/b/k?AWSAccessKeyId=AKID&Signature=${secret}&Expires=1`,
  `/b/k?X-Amz-Security-Token=${secret}`,
  `/b/k?x-amz-security%2Dtoken=${secret}`,
  `/b/k?X-Amz-Server-Side-Encryption-Customer-Key=${secret}`,
  `/b/k?x-amz-copy-source-server-side-encryption-customer-key-MD5=${secret}`,
  `/b/k?X%2DAmz-Server-Side-Encryption-Customer-Key=${secret}`,
  `/b/k?X-Amz-S3session-Token=${secret}`,
  `/b/k?X-Amz-S3session-Tok%65n=${secret}`,
  `/b/k?X-Amz-S3session-Token%3D${secret}`,
  `/b/k?refresh_token=${secret}`,
  `/b/k?authToken=${secret}`,
  `/b/k?a=${encodeURIComponent(`/b/k?X-Amz-S3session-Token=${secret}`)}`,
  ...['token', 'sig', 'access_token', 'secret', 'client_secret', 'password', 'passwd', 'Authorization'].map(
    name => `/b/k?a=1;${name}=${secret}`,
  ),
  `/b/k?authorization=${secret}`,
  `/api/status?token=${secret}`,
  `/api/status?Tok%65n=${secret}`,
  `/b/k?x-amz-copy-source=${encodeURIComponent(`/b/k?X-Amz-Signature=${secret}`)}`,
  `/b/k?a=${encodeURIComponent(encodeURIComponent(`?sig=${secret}`))}`,
  `/b/k?a=b?X-Amz-Signature=${secret}`,
  `/b/k%3FX-Amz-Signature%3D${secret}`,
  `/b/k&X-Amz-Signature=${secret}`,
  `/b/k?X-Amz-Signature%3D${secret}`,
  `http://user:${secret}@host/b/k`,
  `https://${secret}@host/b/k?a=b`,
  `/b/k?X-Amz-Signature%00=${secret}`,
  `/b/k?%ff%X-Amz-Signature=${secret}`,
])('%s shows no secret', url => {
  expect(loggedUrl(url)).not.toContain(secret);
});

it.each([
  '/b/k',
  '/b/a%20b/%E2%82%AC',
  '/b/k?versionId=7&partNumber=1',
  '/b/k?X-Amz-Credential=AKID%2F20260101%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20260101T000000Z',
  '/b/k?x-store-credential=AKIAIOSFODNN7EXAMPLE/20260101/us-east-1/s3/aws4_request',
  '/b/k?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Expires=1',
  '/b?list-type=2&continuation-token=abc&start-after=x',
  '/b?list-type=2;continuation-token=abc;start-after=x',
  '/b/refresh-token=7;tokens=8/x',
  '/b/k?response-content-type=text%2Fplain',
  '/b/signature-of-a-contract.pdf',
  '/b/k?tagging',
  'http://host/b/k?a=b',
  '*',
])('%s is shown as it is', url => {
  expect(loggedUrl(url)).toBe(url);
});

/** 40 characters of mixed case, as Amazon's; users put them where the id belongs. */
const swapped = 'wJalrXUtnFEMI+K7MDENG=bPxRfiCYEXAMPLEKEY';
const scope = '20260101/us-east-1/s3/aws4_request';
const escapedAll = (text: string) => [...text].map(each => `%${each.charCodeAt(0).toString(16)}`).join('');

it.each(
  [
    'X-Amz-Credential',
    'X-Store-Credential',
    'x-amz-credential',
    'x-store-CREDENTIAL',
    'X-Amz-Credenti%61l',
    'X-Amz-Credenti%2561l',
    '%58-%53tore-%43redential',
    escapedAll('X-Amz-Credential'),
    'X-Amz-Credential%00',
    'X-Amz-Credential+',
    'X-Goog-Credential',
    'a=b%26X-Amz-Credential',
    'AWSAccessKeyId',
    'awsaccesskeyi%64',
    'accessKeyId',
    'access_key',
  ].flatMap(name => [
    `/b/k?${name}=${swapped}/${scope}`,
    `/b/k?a=b&${name}=${encodeURIComponent(`${swapped}/${scope}`)}&X-Amz-Expires=60`,
    `/b/k?${name}=AKID%2F${encodeURIComponent(scope)}&${name}=${escapedAll(swapped)}%2F${scope}`,
    `/b/k?${name}=${swapped}`,
    `/b/k?${name}=${encodeURIComponent(encodeURIComponent(`${swapped}/${scope}`))}`,
    `/b/k%3F${name}%3D${swapped}`,
    `/b/k?${name}%3D${swapped}`,
  ]),
)('%s shows no secret in the place of an id', url => {
  const shown = loggedUrl(url);
  for (const text of [shown, fullyDecoded(shown)]) expect(text).not.toContain(swapped);
});

it.each([
  ['with slashes', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
  ['of Cloudflare', 'd8e8fca2dc0f896fd7cb4cb0031ba249d8e8fca2dc0f896fd7cb4cb0031ba249'],
  ['of Storj', 'jvzh2pm3hlnb5rmuaaaqkhdyuuh3q4oqzfbkjx2ucrrhgbb3s4y6q'],
  ['of Backblaze', 'K001nAbCdEfGhIjKlMnOpQrStUvWxYz'],
])('a credential of a secret %s is not shown', (_, key) => {
  for (const value of [key, `${key}/${scope}`, encodeURIComponent(`${key}/${scope}`)])
    expect(loggedUrl(`/b/k?X-Amz-Credential=${value}`)).toBe('/b/k?X-Amz-Credential=[redacted]');
});

it.each(['X-Amz-Credential', 'AWSAccessKeyId'])(
  'the id in %s is in plain text, however it was escaped',
  name => {
    const value = name === 'AWSAccessKeyId' ? 'clientSecret' : `clientSecret/${scope}`;
    expect(loggedUrl(`/b/k?${name}=${escapedAll(value)}`)).toContain('=clientSecret');
  },
);

it('a long URL is cut, and shows no part of a secret at its end', () => {
  for (const name of ['X-Amz-Credential', 'AWSAccessKeyId']) {
    const start = `/b/k?${name}=`.padStart(16_360, '/k');
    const shown = loggedUrl(`${start}${swapped}&versionId=7`);
    expect(shown.length).toBeLessThanOrEqual(16 * 1024);
    expect(shown.startsWith(start)).toBe(true);
    expect(shown).not.toContain(swapped.slice(0, 8));
  }
});

it('hides a signature whichever of its letters are encoded', () => {
  const letters = [...'X-Amz-Signature'];
  const encoded = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 15, maxLength: 15 }), picks => {
      const name = letters.map((letter, index) => {
        if (picks[index] === 0) return letter;
        return picks[index] === 1 ? encoded(letter) : encoded(letter).replace('%', '%25');
      });
      expect(loggedUrl(`/b/k?a=b&${name.join('')}=${secret}`)).not.toContain(secret);
    }),
  );
});

it('leaves a plain path as it came, up to 16 KiB', () => {
  expect(loggedUrl('/b/a+key/')).toBe('/b/a+key/');
  expect(loggedUrl(`/${'k'.repeat(20_000)}`)).toBe(`/${'k'.repeat(16 * 1024 - 1)}`);
  expect(loggedUrl(`/b?a=${'v'.repeat(20_000)}`)).toHaveLength(16 * 1024);
});

it('hides the user of an absolute target alone', () => {
  expect(loggedUrl('http://user:word@h.test/b?a=b')).toBe('http://[redacted]@h.test/b?a=b');
  expect(loggedUrl('/b/http://user@h.test/?a')).toBe('/b/http://user@h.test/?a');
  expect(loggedUrl('h2c+x.y-z://user@h')).toBe('h2c+x.y-z://[redacted]@h');
  expect(loggedUrl('?=a&=b')).toBe('?=a&=b');
});
