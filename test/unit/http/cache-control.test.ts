import { describe, expect, it } from 'vitest';
import { parseCacheControl } from '../../../src/http/cache-control.ts';

const nothing = {
  noStore: false,
  noCache: false,
  noCacheFields: [],
  private: false,
  privateFields: [],
  public: false,
  mustUnderstand: false,
  mustRevalidate: false,
  proxyRevalidate: false,
  maxAgeS: undefined,
  sMaxAgeS: undefined,
  staleWhileRevalidateS: undefined,
  staleIfErrorS: undefined,
};

describe('Cache-Control', () => {
  it.each([
    [undefined, {}],
    ['', {}],
    [', ,', {}],
    ['max-age=60', { maxAgeS: 60 }],
    ['Max-Age=60, S-MaxAge=30', { maxAgeS: 60, sMaxAgeS: 30 }],
    ['max-age="60"', { maxAgeS: 60 }],
    ['no-store,no-cache', { noStore: true, noCache: true }],
    ['private="A, b", max-age=60', { privateFields: ['a', 'b'], maxAgeS: 60 }],
    ['private=""', { private: true }],
    ['no-cache="set-cookie\\", no-store"', { noCacheFields: ['set-cookie', 'no-store'] }],
    ['no-cache=Set-Cookie, no-cache="a"', { noCacheFields: ['set-cookie', 'a'] }],
    ['no-cache, no-cache="a"', { noCache: true, noCacheFields: ['a'] }],
    ['no-cache="a", no-cache', { noCache: true, noCacheFields: ['a'] }],
    ['private, private="a"', { private: true, privateFields: ['a'] }],
    ['public, must-revalidate', { public: true, mustRevalidate: true }],
    ['public, Proxy-Revalidate', { public: true, proxyRevalidate: true }],
    ['must-understand, no-store', { mustUnderstand: true, noStore: true }],
    ['extension="max-age=3600", max-age=1', { maxAgeS: 1 }],
    ['max-age=003600', { maxAgeS: 3600 }],
    ['immutable;max-age=5', { maxAgeS: 5 }],
    ['stale-while-revalidate=5, stale-if-error=7', { staleWhileRevalidateS: 5, staleIfErrorS: 7 }],
    ['x-max-age=5, unknown=1', {}],
  ])('%j says %j', (header, said) => {
    expect(parseCacheControl(header)).toEqual({ ...nothing, ...said });
  });

  it.each([
    'max-age',
    'max-age=',
    'max-age=abc',
    'max-age=-1',
    'max-age=1.5',
    'max-age=1e3',
    'max-age= 60',
    "max-age='60'",
  ])('counts %j as stale (RFC 9111 §4.2.1)', header => {
    expect(parseCacheControl(header).maxAgeS).toBe(0);
  });

  it('takes the first of several values (RFC 9111 §4.2.1)', () => {
    expect(parseCacheControl('max-age=5, max-age=60').maxAgeS).toBe(5);
  });

  it('caps what is too great to count (RFC 9111 §1.2.2)', () => {
    expect(parseCacheControl(`max-age=${'9'.repeat(400)}`).maxAgeS).toBe(2 ** 31);
    expect(parseCacheControl('max-age=2147483649').maxAgeS).toBe(2 ** 31);
  });

  it('reads an endless quoted value in time that grows with its length only', () => {
    expect(parseCacheControl(`private="${'\\a'.repeat(50_000)}`).private).toBe(true);
  });
});
