import { describe, expect, it } from 'vitest';
import { mayShowCredentials, viewRequest } from '../../../src/s3/sigv4-request.ts';

const view = (url: string, ...rawHeaders: readonly string[]) =>
  viewRequest({ method: 'GET', url, rawHeaders });

describe('a request may show credentials', () => {
  it.each([
    ['with a query', '/b/k?X-Amz-Signature=0', [], true],
    ['with an empty query', '/b/k?', [], true],
    ['with an Authorization header', '/b/k', ['Host', 'h', 'Authorization', ''], true],
    ['with one in any spelling', '/b/k', ['AUTHORIZATION', 'x'], true],
    ['not without both', '/b/k', ['Host', 'h', 'Accept', '*/*'], false],
    ['not without any header', '/b/k', [], false],
    ['not with another header of that length', '/b/k', ['If-None-Match', '"t"'], false],
    ['not with another header of that beginning', '/b/k', ['Authorization-Info', 'x'], false],
    ['not with the name as a value', '/b/k', ['X-Name', 'authorization'], false],
  ])('%s: %s %j', (_, url, rawHeaders, isPossible) => {
    expect(mayShowCredentials({ method: 'GET', url, rawHeaders })).toBe(isPossible);
  });
});

describe('a request as signatures see it', () => {
  it('has path and query as they were sent', () => {
    expect(view('/b/%6B//a?x=%20&y')).toMatchObject({
      method: 'GET',
      rawPath: '/b/%6B//a',
      rawQuery: 'x=%20&y',
    });
    expect(view('/b/k?a?b')).toMatchObject({ rawPath: '/b/k', rawQuery: 'a?b' });
    expect(view('/b/k')).toMatchObject({ rawPath: '/b/k', rawQuery: '' });
  });

  it('has headers by their names in lower case, repeated ones joined in their order', () => {
    const { headers, authorizations } = view('/', 'Host', 'h', 'X-A', '1', 'x-a', '2', 'X-B', '');
    expect(Object.fromEntries(headers)).toEqual({ host: 'h', 'x-a': '1,2', 'x-b': '' });
    expect(authorizations).toBe(0);
  });

  it('counts its signatures', () => {
    expect(view('/', 'Authorization', 'a', 'host', 'h', 'AUTHORIZATION', 'b').authorizations).toBe(2);
  });

  it('leaves out a name without a value', () => {
    expect([...view('/', 'host', 'h', 'x-a').headers]).toEqual([['host', 'h']]);
  });

  it('has the host of an absolute target, whatever Host says (RFC 9112 §3.2.2)', () => {
    const { headers, rawPath, rawQuery } = view('HTTP://Other.example:80/b/k?x', 'Host', 'h');
    expect([headers.get('host'), rawPath, rawQuery]).toEqual(['Other.example:80', '/b/k', 'x']);
    expect(view('http://other.example?x', 'Host', 'h')).toMatchObject({ rawPath: '', rawQuery: 'x' });
    expect(view('/http://other.example/', 'Host', 'h').headers.get('host')).toBe('h');
    expect(view('ftp://other.example/', 'Host', 'h').headers.get('host')).toBe('h');
  });
});
