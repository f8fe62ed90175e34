import { describe, expect, it } from 'vitest';
import {
  DateHeader,
  formatHttpDate,
  parseConditionDate,
  parseHttpDate,
} from '../../../src/http/http-date.ts';

const momentMs = Date.UTC(1994, 10, 6, 8, 49, 37);

describe('an HTTP date', () => {
  it.each([
    ['IMF-fixdate', 'Sun, 06 Nov 1994 08:49:37 GMT'],
    ['RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT'],
    ['asctime', 'Sun Nov  6 08:49:37 1994'],
    ['IMF-fixdate with another weekday (row 84)', 'Mon, 06 Nov 1994 08:49:37 GMT'],
  ])('is read as %s', (_form, text) => {
    expect(parseHttpDate(text)).toBe(momentMs);
  });

  it.each([
    '',
    'yesterday',
    '1994-11-06T08:49:37Z',
    '784111777',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0100',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 nov 1994 08:49:37 GMT',
    'Sun, 06 Xyz 1994 08:49:37 GMT',
    'Sun, 06-Xyz-94 08:49:37 GMT',
    'Sun Xyz  6 08:49:37 1994',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:00 GMT',
    'Sun, 06 Nov 1994 08:49:61 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Wed, 31 Nov 1994 08:49:37 GMT',
    'Tue, 29 Feb 2023 08:49:37 GMT',
    'Xyz, 06 Nov 1994 08:49:37 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT',
  ])('is not %j', text => {
    expect(parseHttpDate(text)).toBeUndefined();
  });

  it('knows leap days and leap seconds', () => {
    expect(parseHttpDate('Thu, 29 Feb 2024 23:59:59 GMT')).toBe(Date.UTC(2024, 1, 29, 23, 59, 59));
    expect(parseHttpDate('Sat, 31 Dec 2016 23:59:60 GMT')).toBe(Date.UTC(2016, 11, 31, 23, 59, 59));
  });

  it('takes a year below 100 as it is written', () => {
    const text = 'Mon, 01 Jan 0050 00:00:00 GMT';
    expect(new Date(parseHttpDate(text) ?? Number.NaN).getUTCFullYear()).toBe(50);
  });

  it('puts a two-digit year at most 50 years after now (RFC 9110 §5.6.7)', () => {
    const nowMs = Date.UTC(2026, 0, 1);
    const yearOf = (twoDigits: string) =>
      new Date(parseHttpDate(`Monday, 01-Jan-${twoDigits} 00:00:00 GMT`, nowMs) ?? 0).getUTCFullYear();
    expect(yearOf('76')).toBe(2076);
    expect(yearOf('77')).toBe(1977);
    expect(yearOf('99')).toBe(1999);
    expect(yearOf('00')).toBe(2000);
  });

  it('is written as IMF-fixdate, whole seconds', () => {
    expect(formatHttpDate(momentMs)).toBe('Sun, 06 Nov 1994 08:49:37 GMT');
    expect(formatHttpDate(momentMs + 999)).toBe('Sun, 06 Nov 1994 08:49:37 GMT');
  });
});

describe('the date of a condition', () => {
  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37Z', '1994-11-06T08:49:37.000Z'])(
    'is read as %s, ISO 8601 included (row 83)',
    text => {
      expect(parseConditionDate(text, momentMs)).toBe(momentMs);
    },
  );

  it.each(['1994-11-06', '1994-11-06T08:49:37+01:00', '1994-13-06T08:49:37Z', 'yesterday'])(
    'is not %j',
    text => {
      expect(parseConditionDate(text, momentMs)).toBeUndefined();
    },
  );
});

it('the Date header tells the second that it is asked in (RFC 9110 §6.6.1)', () => {
  let nowMs = 0;
  const header = new DateHeader(() => nowMs);
  const told = [0, 999, 1_000, 1_999, 60_000, 59_999].map(passedMs => {
    nowMs = momentMs + passedMs;
    return header.now;
  });
  const seconds = [0, 0, 1, 1, 60, 59].map(passed => formatHttpDate(momentMs + 1_000 * passed));
  expect(told).toEqual(seconds);
});
