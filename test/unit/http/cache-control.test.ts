import { describe, expect, it } from 'vitest';
import { parseCacheControl } from '../../../src/http/cache-control.ts';

const nothing = {
  noStore: false,
  noCache: false,
  private: false,
  maxAgeS: undefined,
  sMaxAgeS: undefined,
  mustRevalidate: false,
  staleIfErrorS: undefined,
};

describe('Cache-Control', () => {
  it.each([
    [undefined, {}],
    ['', {}],
    [', ,', {}],
    ['max-age=60', { maxAgeS: 60 }],
    ['Max-Age=60, S-MaxAge=30', { maxAgeS: 60, sMaxAgeS: 30, mustRevalidate: true }],
    ['max-age="60"', { maxAgeS: 60 }],
    ['no-store,no-cache', { noStore: true, noCache: true }],
    ['private="a, max-age=5", max-age=60', { private: true, maxAgeS: 60 }],
    ['no-cache="set-cookie\\", no-store"', { noCache: true }],
    ['public, must-revalidate', { mustRevalidate: true }],
    ['public, Proxy-Revalidate', { mustRevalidate: true }],
    ['immutable;max-age=5', { maxAgeS: 5 }],
    ['stale-while-revalidate=5, stale-if-error=7', { staleIfErrorS: 7 }],
    ['x-max-age=5, unknown=1', {}],
  ])('%j says %j', (header, said) => {
    expect(parseCacheControl(header)).toEqual({ ...nothing, ...said });
  });

  it.each(['max-age', 'max-age=', 'max-age=abc', 'max-age=-1', 'max-age=1.5', 'max-age=1e3', 'max-age= 60'])(
    'counts %j as stale (RFC 9111 §4.2.1)',
    header => {
      expect(parseCacheControl(header).maxAgeS).toBe(0);
    },
  );

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
