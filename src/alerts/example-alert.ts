import type { Alert, Notification, NotificationKind } from './alert.ts';
import { alertOf } from './engine/episode.ts';
import { noticeOf } from './engine/notices.ts';
import { isNoticeName, noticeTable } from './rules/notice-table.ts';
import { createRules, isRuleName, type RuleOptions } from './rules/rule-table.ts';

/** How long ago an example began; it ended just now. */
const EXAMPLE_LENGTH_MS = 47 * 60_000;

/**
 * What an alert of this rule looks like at `nowMs`, with made-up figures that fit `options`; undefined for a name
 * that `alerts.rules` does not know. Also of rules that are turned off: that is when one wants to see them.
 */
export function exampleAlert(name: string, nowMs: number, options: RuleOptions = {}): Alert | undefined {
  if (isNoticeName(name)) return exampleNotice(name, nowMs).alerts[0];
  if (!isRuleName(name)) return undefined;
  const [rule] = createRules({ ...options, [name]: options[name] || {} }).filter(one => one.name === name);
  return rule && alertOf(rule, rule.example(), 'firing', nowMs - EXAMPLE_LENGTH_MS);
}

/** News of one kind about an alert, as `tidegate card` and `POST /api/alerts/test` show it. */
export function exampleNotification(alert: Alert, kind: NotificationKind, nowMs: number): Notification {
  const isNotice = isNoticeName(alert.rule);
  const told: Alert =
    kind === 'resolved' && !isNotice ? { ...alert, state: 'resolved', endedAtMs: nowMs } : alert;
  return {
    kind: isNotice && kind !== 'test' ? 'notice' : kind,
    alerts: [told],
    severity: alert.severity,
    dedupeKey: `example:${kind}:${alert.id}:${nowMs}`,
  };
}

function exampleNotice(name: keyof typeof noticeTable, nowMs: number): Notification {
  const facts = {
    started: [
      { name: 'Version', value: '0.1.0' },
      { name: 'Workers', value: '2' },
    ],
    stopped: [{ name: 'Reason', value: 'SIGTERM' }],
    heartbeat: [{ name: 'Open alerts', value: '0' }],
  }[name];
  const { title, defaults } = noticeTable[name];
  return noticeOf(name, defaults.severity, `${title}.`, facts, nowMs);
}
