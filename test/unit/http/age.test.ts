import { describe, expect, it } from 'vitest';
import { initialAgeMs, parseAge } from '../../../src/http/age.ts';

describe('Age (RFC 9111 §5.1)', () => {
  it.each([
    ['no field', undefined, 0],
    ['a number', '7200', 7200],
    ['the first member of a list', '7200, 0', 7200],
    ['the first member, though it is smaller', '0, 7200', 0],
    ['nothing for words', 'abc', 0],
    ['nothing for a negative number', '-7200', 0],
    ['nothing for a fraction', '7200.0', 0],
    ['nothing for a number in quotes', '"7200"', 0],
    ['nothing for a number with a parameter', '7200;foo=bar', 0],
    ['2^31 for more (RFC 9111 §1.2.2)', '2147483649', 2 ** 31],
  ])('says %s: %j', (_, field, ageS) => {
    expect(parseAge(field)).toBe(ageS);
  });
});

describe('an answer had, when it came (RFC 9111 §4.2.3)', () => {
  const arrival = { requestedMs: 100_000, receivedMs: 103_000, ageS: 0, dateMs: undefined };
  it.each([
    ['the time that it took, since it may have been made at once', {}, 3_000],
    ['what its Age says, and that time (corrected_age_value)', { ageS: 10 }, 13_000],
    ['the time since its Date (apparent_age)', { dateMs: 50_000 }, 53_000],
    ['the greater of the two (corrected_initial_age)', { dateMs: 101_000, ageS: 10 }, 13_000],
    ['no negative age, though a clock runs ahead', { dateMs: 500_000 }, 3_000],
    ['no negative delay, though our clock was set back', { requestedMs: 200_000, ageS: 5 }, 5_000],
  ])('%s', (_, given, ageMs) => {
    expect(initialAgeMs({ ...arrival, ...given })).toBe(ageMs);
  });
});
