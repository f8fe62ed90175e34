import { describe, expect, it } from 'vitest';
import { parseCacheControl } from '../../../src/http/cache-control.ts';
import {
  mayAssumeFreshness,
  mayStore,
  refusalToStore,
  type StoredExchange,
} from '../../../src/http/storability.ts';

type Given = Partial<Omit<StoredExchange, 'control'>> & { readonly control?: string };

function judged({ control, ...given }: Given): string {
  const plain = {
    method: 'GET',
    status: 200,
    hasExpires: false,
    isConfigured: false,
    isAuthorized: false,
    isRefusedByRequest: false,
  };
  const verdict = mayStore({
    ...plain,
    variesByAll: false,
    ...given,
    control: parseCacheControl(control),
  });
  return verdict.kind === 'storable' ? 'storable' : verdict.why;
}

describe('a shared cache may store (RFC 9111)', () => {
  it.each<[string, Given, string]>([
    ['§3: a GET that states its freshness', { control: 'max-age=1' }, 'storable'],
    ['§3: a GET that states none, by its status', {}, 'storable'],
    ['§3: a HEAD', { method: 'HEAD' }, 'storable'],
    ['§3: no answer to a method that changes something', { method: 'POST', control: 'max-age=1' }, 'method'],
    ['§3: no method that is not understood', { method: 'FOO', control: 'max-age=1' }, 'method'],
    ['§3: no interim answer', { status: 103, control: 'max-age=1' }, 'status'],
    ['§4.3.4: no 304, which updates what is stored', { status: 304, control: 'max-age=1' }, 'status'],
    ['§3.3: a 206', { status: 206 }, 'storable'],
    [
      '§3: a status that allows no guess, where it states max-age',
      { status: 302, control: 'max-age=1' },
      'storable',
    ],
    ['§3: such a status, where it states s-maxage', { status: 599, control: 's-maxage=1' }, 'storable'],
    ['§3: such a status, where it has Expires', { status: 503, hasExpires: true }, 'storable'],
    ['§3: such a status, where it is public', { status: 599, control: 'public' }, 'storable'],
    ['§3: not such a status alone', { status: 302 }, 'unstated'],
    ['§3: such a status, where a ttl is configured for it', { status: 302, isConfigured: true }, 'storable'],
    [
      '§5.2.2.5: not with no-store, whatever is configured',
      { control: 'no-store', isConfigured: true },
      'no-store',
    ],
    ['§5.2.2.5: not with no-store', { control: 'no-store, max-age=1' }, 'no-store'],
    ['§5.2.2.7: not with private', { control: 'private, max-age=1' }, 'private'],
    ['§5.2.2.7: private fields aside, the rest', { control: 'private="set-cookie"' }, 'storable'],
    ['§5.2.2.4: with no-cache, to be revalidated', { control: 'no-cache' }, 'storable'],
    [
      '§5.2.2.3: an understood status in spite of no-store',
      { control: 'no-store, must-understand' },
      'storable',
    ],
    [
      '§5.2.2.3: no status that is not understood',
      { status: 599, control: 'must-understand, max-age=1' },
      'status',
    ],
    ['§5.2.1.5: not where the request says no-store', { isRefusedByRequest: true }, 'no-store'],
    ['§3.5: not what answers Authorization', { isAuthorized: true, control: 'max-age=1' }, 'authorization'],
    ['§3.5: nor with proxy-revalidate', { isAuthorized: true, control: 'proxy-revalidate' }, 'authorization'],
    ['§3.5: unless it is public', { isAuthorized: true, control: 'public' }, 'storable'],
    ['§3.5: or says must-revalidate', { isAuthorized: true, control: 'must-revalidate' }, 'storable'],
    ['§3.5: or says s-maxage', { isAuthorized: true, control: 's-maxage=0' }, 'storable'],
    ['§4.1: not what nobody can select', { variesByAll: true, control: 'max-age=1' }, 'vary'],
  ])('%s', (_, given, verdict) => {
    expect(judged(given)).toBe(verdict);
  });

  it.each([200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501])(
    'RFC 9110 §15.1: a %d that says nothing',
    status => {
      expect(judged({ status })).toBe('storable');
      expect(mayAssumeFreshness(status, parseCacheControl(undefined))).toBe(true);
    },
  );

  it.each([201, 202, 302, 303, 307, 400, 403, 416, 500, 502, 503, 504, 599])(
    'RFC 9110 §15.1: no %d that says nothing',
    status => {
      expect(judged({ status })).toBe('unstated');
      expect(mayAssumeFreshness(status, parseCacheControl(undefined))).toBe(false);
      expect(mayAssumeFreshness(status, parseCacheControl('public'))).toBe(true);
    },
  );
});

it.each([
  [200, 'max-age=1', undefined],
  [200, 'no-store', 'no-store'],
  [200, 'private', 'private'],
  [200, 'private, no-store, must-understand', 'private'],
  [299, 'must-understand', 'status'],
] as const)('a %d with %j is refused for %j', (status, control, why) => {
  expect(refusalToStore(status, parseCacheControl(control))).toBe(why);
});
