import { expect, it } from 'vitest';
import type { Notification } from '../../../../src/alerts/alert.ts';
import { Outbox } from '../../../../src/alerts/delivery/outbox.ts';
import { memoryState } from '../../../support/memory-state.ts';
import { sampleNotification } from '../../../support/notifications.ts';

const MIB = 1024 * 1024;

/** A card of about `bytes`. */
function large(key: string, bytes: number, severity: Notification['severity'] = 'warning'): Notification {
  const small = sampleNotification(key, severity);
  return { ...small, alerts: small.alerts.map(alert => ({ ...alert, summary: 'x'.repeat(bytes) })) };
}

it('drops the oldest warnings when what waits is too large, criticals last, and counts them', () => {
  const database = memoryState();
  const outbox = new Outbox(database);
  const add = (notification: Notification) => outbox.enqueue(['c'], notification, 0);
  expect(add(large('critical', 8 * MIB, 'critical'))).toEqual({ added: 1, dropped: 0 });
  for (const key of ['w1', 'w2', 'w3']) expect(add(large(key, 7 * MIB)).dropped).toBe(0);
  expect(add(large('w4', 7 * MIB))).toEqual({ added: 1, dropped: 1 });
  expect(database.prepare(`SELECT dedupe_key, reason FROM card WHERE state = 'dead'`).all()).toMatchObject([
    { dedupe_key: sampleNotification('w1').dedupeKey, reason: 'too many cards waited' },
  ]);
  expect(outbox.waiting('c')).toMatchObject({ count: 4, ordinary: 3 });
  expect(outbox.next('c', true)?.notification.dedupeKey).toBe(sampleNotification('critical').dedupeKey);
});

it('remembers no more than a thousand of those that were dropped', () => {
  const database = memoryState();
  const outbox = new Outbox(database);
  database.exec('BEGIN');
  for (let card = 0; card < 5_000; card++) {
    database
      .prepare(
        `INSERT INTO card (channel, dedupe_key, rule, kind, critical, notification, queued_at_ms)
         VALUES ('c', ?, 'r', 'firing', 0, '{}', 0)`,
      )
      .run(`k${card}`);
  }
  for (let card = 0; card < 1_200; card++) {
    database.exec(`UPDATE card SET state = 'dead', settled_at_ms = 0 WHERE id = ${card + 1}`);
    database.exec(
      `INSERT INTO card (channel, dedupe_key, rule, kind, critical, notification, queued_at_ms)
       VALUES ('c', 'n${card}', 'r', 'firing', 0, '{}', 0)`,
    );
  }
  database.exec('COMMIT');
  expect(outbox.enqueue(['c'], sampleNotification('one more'), 0)).toEqual({ added: 1, dropped: 1 });
  expect(outbox.waiting('c').count).toBe(5_000);
  expect(outbox.deadCount('c')).toBe(1_000);
});
