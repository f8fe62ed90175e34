import { expect, it } from 'vitest';
import { inWords } from '../../../src/backend/cause-words.ts';

it.each([
  ['ECONNREFUSED', 'nothing listens there'],
  ['ENOTFOUND', 'its host name is not known'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not accepted'],
  ['CERT_HAS_EXPIRED', 'its certificate is not accepted'],
  ['FIRST_BYTE_TIMEOUT', 'it does not answer in time'],
  ['NO_ANSWER', 'it does not answer in time'],
  ['STATUS_500', 'it is in trouble itself, or what stands before it is'],
  ['STATUS_503', 'it is in trouble itself, or what stands before it is'],
  ['constructor', 'the connection failed'],
])('%s: %s', (cause, words) => {
  expect(inWords(cause)).toBe(words);
});
