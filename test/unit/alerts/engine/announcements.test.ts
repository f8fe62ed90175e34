import { describe, expect, it } from 'vitest';
import type { Alert } from '../../../../src/alerts/alert.ts';
import { announcementsDue } from '../../../../src/alerts/engine/announcements.ts';
import {
  conditionFingerprint,
  type Episode,
  type PendingKind,
  pendingKindOf,
} from '../../../../src/alerts/engine/episode.ts';

const repeatMs = { critical: 1_000, warning: 2_000, info: 3_000 };
const timing = { groupWaitMs: { critical: 50, warning: 100, info: 100 }, repeatMs };

function episode(changes: Partial<Episode>, alert: Partial<Alert> = {}): Episode {
  return {
    newsAtMs: 0,
    tellings: 0,
    lastToldMs: 0,
    alert: {
      ...{ id: 'a.1', fingerprint: 'a', rule: 'backendErrors', severity: 'critical', state: 'firing' },
      ...{ labels: {}, summary: '', facts: [], startedAtMs: 0 },
      ...alert,
    },
    ...changes,
  };
}

describe('the news of an episode', () => {
  const rows: readonly (readonly [string, Episode, PendingKind])[] = [
    ['that began', episode({}), 'firing'],
    ['that began under a silence', episode({}, { silencedUntilMs: 9_000 }), 'none'],
    ['that began and was taken in hand before it was told', episode({}, { acknowledgedBy: 'ann' }), 'firing'],
    ['told long ago', episode({ tellings: 1, lastToldMs: 500 }), 'repeat'],
    ['told just now', episode({ tellings: 1, lastToldMs: 501 }), 'none'],
    ['told long ago, of a lesser severity', episode({ tellings: 1 }, { severity: 'warning' }), 'none'],
    ['told and taken in hand', episode({ tellings: 1 }, { acknowledgedBy: 'ann' }), 'none'],
    ['told and over', episode({ tellings: 1 }, { state: 'resolved' }), 'resolved'],
    [
      'taken in hand and over',
      episode({ tellings: 1 }, { state: 'resolved', acknowledgedBy: 'ann' }),
      'resolved',
    ],
    ['over before it was told', episode({}, { state: 'resolved' }), 'none'],
    ['over under a silence', episode({ tellings: 1 }, { state: 'resolved', silencedUntilMs: 9_000 }), 'none'],
  ];
  it.each(rows)('%s', (_, told, news) => {
    expect(pendingKindOf(told, 1_500, repeatMs)).toBe(news);
  });
});

describe('announcements', () => {
  const fresh = (id: string, rule: string, newsAtMs: number, severity: Alert['severity'] = 'warning') =>
    episode({ newsAtMs }, { id, rule, severity });

  it('wait for more of the same rule, but no longer than for the first', () => {
    const news = [fresh('a', 'retryStorm', 0), fresh('b', 'retryStorm', 90)];
    expect(announcementsDue(news, 99, timing)).toEqual([]);
    const due = announcementsDue(news, 100, timing);
    expect(due.map(({ notification }) => notification.alerts.map(({ id }) => id))).toEqual([['a', 'b']]);
  });

  it('that are critical wait for less long', () => {
    const news = [fresh('a', 'retryStorm', 0, 'critical')];
    expect(announcementsDue(news, 49, timing)).toEqual([]);
    expect(announcementsDue(news, 50, timing)).toHaveLength(1);
  });

  it('keep rules, and firing and resolved, apart', () => {
    const over = episode({ tellings: 1 }, { id: 'c', rule: 'retryStorm', state: 'resolved' });
    const due = announcementsDue(
      [fresh('a', 'retryStorm', 0), fresh('b', 'saturation', 0), over],
      500,
      timing,
    );
    expect(due.map(({ notification: { kind, alerts } }) => [kind, alerts[0]?.rule])).toEqual([
      ['firing', 'retryStorm'],
      ['firing', 'saturation'],
      ['resolved', 'retryStorm'],
    ]);
  });

  it('have the highest severity of their alerts', () => {
    const news = [fresh('a', 'x', 0, 'info'), fresh('b', 'x', 0, 'critical'), fresh('c', 'x', 0)];
    expect(announcementsDue(news, 500, timing)[0]?.notification.severity).toBe('critical');
  });

  it('have the same key for the same news in any order, and another for each telling', () => {
    const key = (...episodes: readonly Episode[]) =>
      announcementsDue(episodes, 5_000, timing)[0]?.notification.dedupeKey;
    const [a, b] = [fresh('a', 'x', 0), fresh('b', 'x', 0)];
    expect(key(a, b)).toBe(key(b, a));
    expect(key(a)).not.toBe(key(b));
    const again = { ...a, tellings: 1 };
    expect(key(again)).not.toBe(key(a));
    expect(key({ ...again, tellings: 2 })).not.toBe(key(again));
  });
});

it('knows a condition by rule and labels, whatever their order', () => {
  const name = conditionFingerprint('r', { a: '1', b: '2' });
  expect(conditionFingerprint('r', { b: '2', a: '1' })).toBe(name);
  expect(conditionFingerprint('r', { a: '1', b: '3' })).not.toBe(name);
  expect(conditionFingerprint('q', { a: '1', b: '2' })).not.toBe(name);
  expect(name).toMatch(/^[0-9a-f]{16}$/);
});
