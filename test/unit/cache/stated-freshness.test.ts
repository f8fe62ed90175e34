import { describe, expect, it } from 'vitest';
import { type DatedAnswer, nothingStated, statedFreshness } from '../../../src/cache/stated-freshness.ts';
import { parseCacheControl } from '../../../src/http/cache-control.ts';

const sent = 'Thu, 01 Jan 2026 00:00:00 GMT';
const sentMs = Date.UTC(2026, 0, 1);
const plain: DatedAnswer = {
  status: 200,
  control: parseCacheControl(undefined),
  expires: undefined,
  age: undefined,
  date: sent,
  lastModified: undefined,
  requestedMs: sentMs,
  receivedMs: sentMs,
};
const stated = (given: Partial<DatedAnswer>) => statedFreshness({ ...plain, ...given });

it('an answer that says nothing states nothing', () => {
  const { noStore, ...nothing } = nothingStated;
  expect(stated({})).toEqual(nothing);
});

it('what Cache-Control says is stated', () => {
  const control = parseCacheControl(
    'max-age=1, s-maxage=2, stale-while-revalidate=3, stale-if-error=4, no-cache',
  );
  expect(stated({ control })).toMatchObject({
    ...{ maxAgeS: 1, sMaxAgeS: 2, staleWhileRevalidateS: 3, staleIfErrorS: 4 },
    ...{ noCache: true, mustRevalidate: true, mayAssume: true },
  });
  expect(stated({ status: 599 }).mayAssume).toBe(false);
});

describe('Expires (RFC 9111 §5.3)', () => {
  it.each<[string, Partial<DatedAnswer>, number | undefined]>([
    ['counts from Date', { expires: 'Thu, 01 Jan 2026 00:00:07 GMT' }, 7_000],
    [
      'counts from Date where the clock of the origin is slow',
      { expires: 'Thu, 01 Jan 2026 00:00:07 GMT', receivedMs: sentMs + 3_600_000 },
      7_000,
    ],
    [
      'counts from the arrival where there is no Date',
      { expires: 'Thu, 01 Jan 2026 00:00:07 GMT', date: undefined, receivedMs: sentMs + 2_000 },
      5_000,
    ],
    [
      'counts from the arrival where Date is invalid',
      { expires: 'Thu, 01 Jan 2026 00:00:07 GMT', date: 'now', receivedMs: sentMs + 2_000 },
      5_000,
    ],
    ['in the past is stale', { expires: 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    ['of 0 is stale', { expires: '0' }, 0],
    ['of -1 is stale', { expires: '-1' }, 0],
    ['of an empty text is stale', { expires: '' }, 0],
    ['in another zone is stale', { expires: 'Thu, 01 Jan 2026 00:00:07 UTC' }, 0],
    ['in letters of any case counts (§4.2)', { expires: 'THU, 01 jan 2026 00:00:07 gmt' }, 7_000],
    ['in the format of RFC 850 counts', { expires: 'Thursday, 01-Jan-26 00:00:07 GMT' }, 7_000],
    ['in the format of asctime counts', { expires: 'Thu Jan  1 00:00:07 2026' }, 7_000],
  ])('%s', (_, given, expiresAfterMs) => {
    expect(stated(given).expiresAfterMs).toBe(expiresAfterMs);
  });
});

describe('for a guess (RFC 9111 §4.2.2), Last-Modified counts', () => {
  it.each([
    ['from Date', 'Wed, 31 Dec 2025 00:00:00 GMT', 86_400_000],
    ['not where it is in the future', 'Fri, 02 Jan 2026 00:00:00 GMT', undefined],
    ['not where it is invalid', 'yesterday', undefined],
  ])('%s', (_, lastModified, unchangedForMs) => {
    expect(stated({ lastModified }).unchangedForMs).toBe(unchangedForMs);
  });
});

it('its age is what Age, Date and the way to here say (RFC 9111 §4.2.3)', () => {
  const late = { requestedMs: sentMs + 9_000, receivedMs: sentMs + 10_000 };
  expect(stated(late).initialAgeMs, 'Date').toBe(10_000);
  expect(stated({ ...late, age: '20' }).initialAgeMs, 'Age and the way').toBe(21_000);
  expect(stated({ ...late, age: '20, 5', date: undefined }).initialAgeMs).toBe(21_000);
  expect(stated({ ...late, date: undefined }).initialAgeMs, 'the way').toBe(1_000);
});
