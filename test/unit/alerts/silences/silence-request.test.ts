import { expect, it } from 'vitest';
import { readSilenceRequest } from '../../../../src/alerts/silences/silence-request.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const RULES = ['backendErrors', 'retryStorm'];
const whole = {
  rule: 'backendErrors',
  labels: { backend: 'main' },
  for: '2h',
  by: 'ann',
  why: 'the store moves',
};

it('reads a silence for a length of time', () => {
  expect(readSilenceRequest(whole, NOW_MS, RULES)).toEqual({
    kind: 'accepted',
    request: {
      rule: 'backendErrors',
      labels: { backend: 'main' },
      untilMs: NOW_MS + 7_200_000,
      by: 'ann',
      why: 'the store moves',
    },
  });
});

it('reads a silence until a moment, for labels alone', () => {
  const body = { labels: { backend: 'main' }, until: '2026-01-01T02:00:00+01:00', by: ' ann ', why: 'known' };
  expect(readSilenceRequest(body, NOW_MS, RULES)).toEqual({
    kind: 'accepted',
    request: { labels: { backend: 'main' }, untilMs: NOW_MS + 3_600_000, by: 'ann', why: 'known' },
  });
});

it.each([
  ['nothing that says what', { ...whole, rule: undefined, labels: {} }, 'rule or labels'],
  [
    'a rule that does not exist',
    { ...whole, rule: 'backendErorrs' },
    'there is no backendErorrs, only backendErrors, retryStorm',
  ],
  ['both ends', { ...whole, until: '2026-01-02T00:00:00Z' }, 'exactly one'],
  ['no end', { ...whole, for: undefined }, 'exactly one'],
  ['an end in the past', { ...whole, for: undefined, until: '2025-12-31T00:00:00Z' }, 'over already'],
  ['no length', { ...whole, for: '0m' }, 'over already'],
  ['more than 90 days', { ...whole, for: '91d' }, '90 days'],
  ['a length without a unit', { ...whole, for: '90' }, 'for: is a number of minutes, hours or days'],
  ['a moment without a zone', { ...whole, for: undefined, until: '2026-01-02T00:00:00' }, 'until: '],
  ['nobody who wants it', { ...whole, by: ' ' }, 'by: '],
  ['no reason', { ...whole, why: undefined }, 'why: '],
  ['a key that does not exist', { ...whole, untill: '1h' }, 'untill'],
  ['labels that are no texts', { ...whole, labels: { backend: 1 } }, 'labels.backend: '],
  [
    'eleven labels',
    { ...whole, labels: Object.fromEntries('abcdefghijk'.split('').map(c => [c, c])) },
    'more than ten',
  ],
  ['no object', 'backendErrors', 'body: '],
  ['nothing', undefined, 'body: '],
])('refuses %s and says so', (_, body, reason) => {
  const verdict = readSilenceRequest(body, NOW_MS, RULES);
  expect(verdict).toEqual({ kind: 'refused', reason: expect.stringContaining(reason) });
});
