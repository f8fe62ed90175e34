import { expect, it } from 'vitest';
import type { Notification } from '../../../../src/alerts/alert.ts';
import { Notices } from '../../../../src/alerts/engine/notices.ts';
import type { NoticeOptions } from '../../../../src/alerts/rules/notice-table.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const DAY_MS = 86_400_000;

function noticed(options: NoticeOptions) {
  const clock = new ManualClock();
  const told: Notification[] = [];
  const notices = new Notices({
    options: () => options,
    clock,
    notify: notification => told.push(notification),
    firing: () => 2,
  });
  return { clock, notices, told, rules: () => told.map(({ alerts }) => alerts[0]?.rule) };
}

it('tells of the start, of every day, and of the stop', () => {
  const { clock, notices, told, rules } = noticed({});
  notices.started([{ name: 'Version', value: '0.1.0' }]);
  clock.advance(2 * DAY_MS + 3_600_000);
  notices.stopped('SIGTERM');
  clock.advance(5 * DAY_MS);
  expect(rules()).toEqual(['started', 'heartbeat', 'heartbeat', 'stopped']);
  expect(told.map(({ kind, severity }) => `${kind} ${severity}`)).toEqual(told.map(() => 'notice info'));
  expect(new Set(told.map(({ dedupeKey }) => dedupeKey)).size).toBe(4);
  expect(told[0]?.alerts[0]?.facts).toEqual([{ name: 'Version', value: '0.1.0' }]);
  expect(told[1]?.alerts[0]?.facts).toContainEqual({ name: 'Open alerts', value: '2' });
  expect(told[3]?.alerts[0]?.facts).toEqual([
    { name: 'Reason', value: 'SIGTERM' },
    { name: 'Ran for', value: '2 d 1 h' },
  ]);
});

it('has each turned off or made more important by itself', () => {
  const { clock, notices, told, rules } = noticed({
    started: false,
    stopped: { severity: 'warning' },
    heartbeat: { everyMs: 3_600_000 },
  });
  notices.started([]);
  clock.advance(2 * 3_600_000);
  notices.stopped('SIGTERM');
  expect(rules()).toEqual(['heartbeat', 'heartbeat', 'stopped']);
  expect(told.at(-1)?.severity).toBe('warning');
});

it('has no heartbeat where that is off', () => {
  const { clock, notices, rules } = noticed({ heartbeat: false });
  notices.started([]);
  clock.advance(10 * DAY_MS);
  expect(rules()).toEqual(['started']);
});
