import fc from 'fast-check';
import { expect, it } from 'vitest';
import { combinedEscaped, jsonEscaped } from '../../../../src/gateway/reply/log-text.ts';

/** Any string: lone surrogates, controls and separators among them. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xff_ff })).map(units => String.fromCharCode(...units)),
  fc.array(fc.integer({ min: 0, max: 0xff })).map(bytes => String.fromCharCode(...bytes)),
);

it('gives JSON that reads as the same text, without anything that ends a line or steers a terminal', () => {
  fc.assert(
    fc.property(anyText, text => {
      const json = jsonEscaped(text);
      expect(JSON.parse(`"${json}"`)).toBe(text);
      expect(json).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      // as bytes too: no part of a character is lost
      expect(JSON.parse(Buffer.from(`"${json}"`).toString())).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

it('gives printable ASCII for the Combined Log Format, in which no quote is bare', () => {
  fc.assert(
    fc.property(anyText, text => {
      expect(combinedEscaped(text)).toMatch(/^(?:[ !#-[\]-~]|\\["\\]|\\x[0-9a-f]{2})*$/);
    }),
    { numRuns: 1000 },
  );
});

it('keeps every byte of what a client sent in the Combined Log Format', () => {
  const bytes = fc.array(fc.integer({ min: 0, max: 0xff })).map(each => String.fromCharCode(...each));
  fc.assert(
    fc.property(bytes, text => {
      const read = combinedEscaped(text).replace(/\\(?:x(..)|(.))/g, (_, hex, plain) =>
        plain === undefined ? String.fromCharCode(Number.parseInt(hex, 16)) : plain,
      );
      expect(read).toBe(text);
    }),
  );
});

it.each([
  ['plain', 'plain', 'plain'],
  ['a "quote" and a \\', String.raw`a \"quote\" and a \\`, String.raw`a \"quote\" and a \\`],
  ['\n\r\t\x1b[31m\x7f', String.raw`\n\r\t\u001b[31m\u007f`, String.raw`\x0a\x0d\x09\x1b[31m\x7f`],
  ['\x9b1m\u2028', String.raw`\u009b1m\u2028`, String.raw`\x9b1m\xe2\x80\xa8`],
  ['\ud800', String.raw`\ud800`, String.raw`\xef\xbf\xbd`],
])('%j is %s in JSON and %s in the Combined Log Format', (text, json, combined) => {
  expect(jsonEscaped(text)).toBe(json);
  expect(combinedEscaped(text)).toBe(combined);
});
