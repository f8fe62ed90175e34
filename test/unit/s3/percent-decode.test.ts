import { expect, it } from 'vitest';
import { fullyDecoded, percentDecode } from '../../../src/s3/percent-decode.ts';

it.each([
  ['plain/text', 'plain/text'],
  ['%41%2fb+', 'A/b+'],
  ['%C3%A9', 'é'],
  ['\u00c3\u00a9', 'é'],
  ['%2541', '%41'],
])('%j is decoded once, as %j', (raw, text) => {
  expect(percentDecode(raw)).toBe(text);
});

it.each(['%', '%4', '%zz', '%ff', '\u00ff', '%C0%80'])('row 228: %j is refused, with its cause', raw => {
  expect(() => percentDecode(raw)).toThrow(
    expect.objectContaining({ code: 'InvalidURI', cause: expect.any(URIError) }),
  );
});

it('to look for secrets three levels are removed, and what is malformed stays', () => {
  expect(['a', '%61', '%2561', '%252561', '%25252561'].map(fullyDecoded)).toEqual([
    'a',
    'a',
    'a',
    'a',
    '%61',
  ]);
  expect(fullyDecoded('%zz%4%C3%a9%')).toBe('%zz%4\u00c3\u00a9%');
});
