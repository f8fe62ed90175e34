import { expect, it } from 'vitest';
import { lengthPrefixed } from '../../../../src/base/length-prefixed.ts';
import { describeVariant } from '../../../../src/gateway/operate/describe-variant.ts';
import { variantName } from '../../../../src/http/vary.ts';

/** What is told of the variant of requests with these fields. */
function told(sent: Readonly<Record<string, string | undefined>>, mayShow = (_field: string) => true) {
  const names = Object.keys(sent);
  return describeVariant(lengthPrefixed(variantName(names, name => sent[name])), names, mayShow);
}

it('fields that are no secrets are told as answers are told apart by them', () => {
  expect(
    told({ 'accept-encoding': 'br, GZIP', 'accept-language': 'de', 'sec-ch-ua-mobile': '?1', rsc: '' }),
  ).toEqual([
    { name: 'accept-encoding', value: 'br,gzip' },
    { name: 'accept-language', value: 'de' },
    { name: 'sec-ch-ua-mobile', value: '?1' },
    { name: 'rsc', value: '' },
  ]);
});

it.each([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'x-amz-security-token',
  'x-token',
  'user',
])('of %s a digest is told, the same for the same value alone', name => {
  const [one, same, other, absent] = ['topsecret', 'topsecret', 'another', undefined].map(value =>
    told({ [name]: value }),
  );
  expect(one).toEqual([{ name, digest: expect.stringMatching(/^[0-9a-f]{12}$/) }]);
  expect(same).toEqual(one);
  expect(other).not.toEqual(one);
  expect(absent).toEqual([{ name, value: null }]);
});

it('neither is a value told that clients have not made', () => {
  const [language] = told({ 'accept-language': 'topsecret' }, name => name !== 'accept-language');
  expect(language).toEqual({ name: 'accept-language', digest: expect.any(String) });
});

it('of fields that are too long to be kept the names are told, and of secrets a digest', () => {
  const [one, other] = ['x', 'y'].map(letter =>
    told({ accept: '*/*', origin: 'o'.repeat(600), cookie: letter.repeat(600) }),
  );
  const cookie = { name: 'cookie', digest: expect.stringMatching(/^[0-9a-f]{12}$/) };
  expect(one).toEqual([{ name: 'accept', value: '*/*' }, { name: 'origin' }, cookie]);
  expect(other).not.toEqual(one);
});
