import { describe, expect, it } from 'vitest';
import { parseCredential, parseTimestamp } from '../../../src/s3/sigv4-claim.ts';

describe('docs/semantics.md 246: a credential', () => {
  const parsed = (text: string) => parseCredential(text, 'header', 'x-amz-');

  it('names access key, date, region and service', () => {
    const scope = { date: '20260102', region: 'us-east-1', service: 's3' };
    expect(parsed('AKID/20260102/us-east-1/s3/aws4_request')).toEqual({ accessKeyId: 'AKID', scope });
  });

  it.each([
    '',
    'AKID',
    'AKID/20260102',
    'AKID/20260102/us-east-1',
    'AKID/20260102/us-east-1/s3',
    '/20260102/us-east-1/s3/aws4_request',
    'AKID/20260102//s3/aws4_request',
    'AKID/20260102/us-east-1/s3/aws4_request/',
    'AKID/20260102/us-east-1/s3/aws4_request/more',
  ])('is malformed as %j', text => {
    expect(() => parsed(text)).toThrow('the Credential is mal-formed');
  });

  it.each(['120260102', '202601021', '2026010', '', 'x20260102', '2026-1-2'])('has no date %j', date => {
    expect(() => parsed(`AKID/${date}/us-east-1/s3/aws4_request`)).toThrow(`incorrect date format "${date}"`);
  });
});

describe('the time of a signature', () => {
  it('is read to the second', () => {
    expect(parseTimestamp('20260102T030405Z')).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
    expect(parseTimestamp('20240229T235959Z')).toBe(Date.UTC(2024, 1, 29, 23, 59, 59));
    expect(parseTimestamp('20261231T200000Z')).toBe(Date.UTC(2026, 11, 31, 20));
  });

  it.each([
    '120260102T030405Z',
    '20260102T030405Z0',
    '20260102T240000Z',
    '20260102T290000Z',
    '20260102T036000Z',
    '20260102T030460Z',
    '20260230T030405Z',
    '20230229T030405Z',
    '20260431T030405Z',
    '20261302T030405Z',
    '20260002T030405Z',
    '20260100T030405Z',
    '20260139T030405Z',
  ])('is not %s', text => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});
