import { describe, expect, it } from 'vitest';
import { S3Error } from '../../../src/s3/error.ts';
import { parseQuery } from '../../../src/s3/query.ts';
import { readResponseOverrides } from '../../../src/s3/response-overrides.ts';

const overridesOf = (rawQuery: string, isSigned = true) =>
  readResponseOverrides(parseQuery(rawQuery), isSigned);

function refusal(rawQuery: string, isSigned = true): S3Error {
  try {
    overridesOf(rawQuery, isSigned);
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
  throw new Error(`${rawQuery} was taken`);
}

describe('response-* parameters', () => {
  it('replace six headers, values verbatim (row 132)', () => {
    const rawQuery = [
      'response-content-type=text%2Fplain%3B%20charset%3Dutf-8',
      'response-content-language=de',
      'response-expires=123',
      'response-cache-control=no-cache',
      'response-content-disposition=attachment;%20filename="a+b"',
      'response-content-encoding=gzip',
    ].join('&');
    expect(overridesOf(rawQuery)).toEqual([
      ['content-type', 'text/plain; charset=utf-8'],
      ['content-language', 'de'],
      ['expires', '123'],
      ['cache-control', 'no-cache'],
      ['content-disposition', 'attachment; filename="a b"'],
      ['content-encoding', 'gzip'],
    ]);
  });

  it('are refused to anonymous callers, empty ones too (row 135)', () => {
    for (const rawQuery of ['response-content-type=a', 'versionId=1&response-expires=']) {
      const error = refusal(rawQuery, false);
      expect([error.code, error.status]).toEqual(['InvalidRequest', 400]);
      expect(error.message).toBe(
        'Request specific response headers cannot be used for anonymous GET requests.',
      );
    }
    expect(overridesOf('versionId=1', false)).toEqual([]);
  });

  it('set nothing when they are empty (row 138)', () => {
    expect(overridesOf('response-content-type=&response-expires')).toEqual([]);
  });

  it.each([
    [
      '139',
      'response-content-disposition=%C5%82',
      'ł',
      'Header value cannot be represented using ISO-8859-1.',
    ],
    [
      '139',
      'response-content-disposition=%F0%9F%98%80',
      '😀',
      'Header value cannot be represented using ISO-8859-1.',
    ],
    [
      '140',
      'response-content-disposition=a%0D%0Ab:%20c',
      'a\r\nb: c',
      'Header value cannot contain control characters.',
    ],
    ['140', 'response-content-disposition=%00', '\0', 'Header value cannot contain control characters.'],
    ['140', 'response-content-disposition=%7F', '\x7f', 'Header value cannot contain control characters.'],
  ])('are refused when no header can carry them (row %s): %s', (_row, rawQuery, value, message) => {
    const error = refusal(rawQuery);
    expect([error.code, error.status, error.message]).toEqual(['InvalidArgument', 400, message]);
    expect(error.fields).toEqual([
      ['ArgumentName', 'response-content-disposition'],
      ['ArgumentValue', value],
    ]);
  });

  it('may have every character of ISO-8859-1', () => {
    expect(overridesOf('response-content-disposition=%C3%A9%09x')).toEqual([['content-disposition', 'é\tx']]);
  });

  it('count once, the first time (row 141)', () => {
    expect(overridesOf('response-expires=&response-expires=1&response-expires=2')).toEqual([
      ['expires', '1'],
    ]);
  });

  it('are known in lower case only (row 142)', () => {
    expect(overridesOf('Response-Content-Type=a')).toEqual([]);
  });
});
