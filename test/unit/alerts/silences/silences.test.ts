import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Alert } from '../../../../src/alerts/alert.ts';
import { matcherOf, matches, withSilence } from '../../../../src/alerts/silences/silence.ts';
import { Silences } from '../../../../src/alerts/silences/silences.ts';
import { openStateDatabase } from '../../../../src/alerts/state-database.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const HOUR_MS = 3_600_000;

const alert: Alert = {
  id: 'f1.a',
  fingerprint: 'f1',
  rule: 'backendErrors',
  severity: 'critical',
  state: 'firing',
  labels: { backend: 'main', zone: 'a' },
  summary: 'Errors.',
  facts: [],
  startedAtMs: 0,
};

let directory: string;
let database: DatabaseSync;
let clock: ManualClock;
let book: Silences;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-silences-'));
  database = openStateDatabase(directory);
  clock = new ManualClock();
  book = new Silences(database, clock);
});

afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

const forHours = (hours: number) => ({ untilMs: clock.nowMs() + hours * HOUR_MS, by: 'ann', why: 'known' });

it('keeps silences over a restart, and forgets them again when they have ended meanwhile', () => {
  const made = [
    book.add({ rule: 'backendErrors', labels: { backend: 'main' }, ...forHours(2) }),
    book.add({ labels: { bucket: 'photos' }, ...forHours(1) }),
  ];
  database.close();
  clock.advance(HOUR_MS);
  database = openStateDatabase(directory);
  const reopened = new Silences(database, clock);
  expect(reopened.active()).toEqual([made[0]]);
  expect(database.prepare('SELECT count(*) AS n FROM silence').get()).toEqual({ n: 1 });
});

it('ends a silence to the millisecond', () => {
  book.add({ labels: { backend: 'main' }, ...forHours(1) });
  clock.advance(HOUR_MS - 1);
  expect(book.active()).toHaveLength(1);
  clock.advance(1);
  expect(book.active()).toEqual([]);
});

it('ends one silence by its id, and for good', () => {
  const kept = book.add({ labels: { backend: 'main' }, ...forHours(1) });
  const ended = book.add({ labels: { backend: 'other' }, ...forHours(1) });
  expect(book.remove(ended.id)).toEqual(ended);
  expect(book.remove(ended.id)).toBeUndefined();
  expect(new Silences(database, clock).active()).toEqual([kept]);
});

it('ends every silence about an alert and no other', () => {
  book.add({ rule: 'backendErrors', labels: {}, ...forHours(1) });
  book.add({ ...matcherOf(alert), ...forHours(2) });
  const other = book.add({ rule: 'retryStorm', labels: {}, ...forHours(1) });
  expect(book.removeMatching(alert)).toHaveLength(2);
  expect(book.active()).toEqual([other]);
});

describe('a matcher', () => {
  it.each([
    ['the rule alone', { rule: 'backendErrors', labels: {} }, true],
    ['another rule', { rule: 'retryStorm', labels: {} }, false],
    ['some of the labels', { labels: { zone: 'a' } }, true],
    ['a label of another value', { rule: 'backendErrors', labels: { backend: 'other' } }, false],
    ['a label that the alert has not', { labels: { bucket: 'photos' } }, false],
    ['the alert’s own', matcherOf(alert), true],
  ])('with %s', (_, matcher, expected) => {
    expect(matches(matcher, alert)).toBe(expected);
  });
});

it('shows the silence that lasts longest', () => {
  book.add({ rule: 'backendErrors', labels: {}, ...forHours(1) });
  book.add({
    rule: 'backendErrors',
    labels: {},
    untilMs: clock.nowMs() + 3 * HOUR_MS,
    by: 'bob',
    why: 'move',
  });
  expect(withSilence(alert, book.active())).toEqual({
    ...alert,
    silencedUntilMs: clock.nowMs() + 3 * HOUR_MS,
    silencedBy: 'bob',
    silenceReason: 'move',
  });
  expect(withSilence({ ...alert, rule: 'retryStorm' }, book.active())).not.toHaveProperty('silencedBy');
});
