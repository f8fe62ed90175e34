import { expect, it } from 'vitest';
import { RequestFields } from '../../../src/s3/request-fields.ts';

const known = {
  host: 'Host',
  range: 'Range',
  ifRange: 'If-Range',
  ifMatch: 'If-Match',
  ifNoneMatch: 'If-None-Match',
  ifModifiedSince: 'If-Modified-Since',
  ifUnmodifiedSince: 'If-Unmodified-Since',
  origin: 'Origin',
  contentType: 'Content-Type',
  authorization: 'Authorization',
} as const;

it.each(Object.entries(known))('%s is found however it is spelled', (field, name) => {
  for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
    const fields = new RequestFields(['Accept', '*/*', spelling, 'value', 'User-Agent', 'a']);
    expect(fields[field as keyof typeof known]).toBe('value');
    expect(Object.values(fields).filter(value => value === 'value')).toHaveLength(1);
  }
});

it('tells a body by either field that announces one', () => {
  expect(new RequestFields(['content-length', '3']).hasBody).toBe(true);
  expect(new RequestFields(['TRANSFER-ENCODING', 'chunked']).hasBody).toBe(true);
  expect(new RequestFields(['Host', 'h', 'Content-Type', 'a/b']).hasBody).toBe(false);
});

it('collects the fields of the store without their prefix, whatever it is', () => {
  const fields = new RequestFields(['X-Amz-Date', 'd', 'x-store-Request-Payer', 'requester', 'x-amzn', 'no']);
  expect([...(fields.store ?? [])]).toEqual([
    ['date', 'd'],
    ['request-payer', 'requester'],
  ]);
  expect(fields.prefix).toBe('x-amz-');
});

it('takes names of the same shape for what they are', () => {
  const fields = new RequestFields([
    'If-Watch',
    '1',
    'Hose',
    '2',
    'Orange',
    '3',
    '',
    '4',
    'X',
    '5',
    'X-Real-Ip',
    '6',
  ]);
  expect(fields).toEqual(new RequestFields([]));
});

it('joins the lines of one name (RFC 9110 §5.3)', () => {
  expect(new RequestFields(['If-Match', '"a"', 'if-match', '"b"']).ifMatch).toBe('"a", "b"');
  expect(new RequestFields(['x-amz-meta-a', '1', 'X-Amz-Meta-A', '2']).store?.get('meta-a')).toBe('1, 2');
});

it('refuses a name that is too long, whatever it is a name of', () => {
  for (const start of ['x', 'x-amz-', 'x-store-meta-'])
    expect(() => new RequestFields(['Host', 'h', start.padEnd(4_097, 'y'), '1'])).toThrow(
      'The name of a header field is too long.',
    );
  expect(new RequestFields(['x-amz-meta-'.padEnd(4_096, 'y'), '1']).store?.size).toBe(1);
});
