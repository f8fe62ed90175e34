import { describe, expect, it } from 'vitest';
import { parseRequestDirectives } from '../../../src/http/request-directives.ts';

const nothing = {
  noCache: false,
  noStore: false,
  onlyIfCached: false,
  maxAgeS: undefined,
  minFreshS: undefined,
  maxStaleS: undefined,
};

describe('a client asks of the cache (RFC 9111 §5.2.1)', () => {
  it.each([
    ['no-cache', { noCache: true }],
    ['No-Store', { noStore: true }],
    ['only-if-cached', { onlyIfCached: true }],
    ['max-age=0', { maxAgeS: 0 }],
    ['max-age=5, min-fresh=6, max-stale=7', { maxAgeS: 5, minFreshS: 6, maxStaleS: 7 }],
    ['max-stale', { maxStaleS: Number.POSITIVE_INFINITY }],
    ['max-stale=soon', { maxStaleS: 0 }],
    ['max-age=soon', { maxAgeS: 0 }],
    ['max-age="5"', { maxAgeS: 5 }],
  ])('%s', (header, asked) => {
    expect(parseRequestDirectives(header, undefined)).toEqual({ ...nothing, ...asked });
  });

  it.each(['', 'no-transform', 'foo="no-cache"'])('nothing by %j', header => {
    expect(parseRequestDirectives(header, undefined)).toBeUndefined();
  });

  it('by Pragma only where there is no Cache-Control (§5.4)', () => {
    expect(parseRequestDirectives(undefined, 'no-cache')).toEqual({ ...nothing, noCache: true });
    expect(parseRequestDirectives(undefined, 'foo, No-Cache')).toEqual({ ...nothing, noCache: true });
    expect(parseRequestDirectives(undefined, 'no-store')).toBeUndefined();
    expect(parseRequestDirectives('max-age=5', 'no-cache')).toEqual({ ...nothing, maxAgeS: 5 });
    expect(parseRequestDirectives(undefined, undefined)).toBeUndefined();
  });
});
