import { expect, it } from 'vitest';
import { inWords } from '../../../src/backend/cause-words.ts';
import { aboutSignatures } from '../../../src/s3/store-refusal.ts';

it.each([
  ['ECONNREFUSED', 'nothing listens there'],
  ['ENOTFOUND', 'its host name is not known'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not accepted'],
  ['CERT_HAS_EXPIRED', 'its certificate is not accepted'],
  ['FIRST_BYTE_TIMEOUT', 'it does not answer in time'],
  ['NO_ANSWER', 'it does not answer in time'],
  ['STATUS_500', 'it is in trouble itself, or what stands before it is'],
  ['STATUS_503', 'it is in trouble itself, or what stands before it is'],
  ['SignatureDoesNotMatch', 'it does not accept the gateway’s signature; is the secret key right?'],
  ['STATUS_507', 'it has no room left'],
  ['constructor', 'the connection failed'],
])('%s: %s', (cause, words) => {
  expect(inWords(cause)).toBe(words);
});

it.each(Array.from(aboutSignatures))('has words for the refusal %s', code => {
  expect(inWords(code)).not.toBe(inWords('constructor'));
});
