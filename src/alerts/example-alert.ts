import { type Alert, type Notification, type NotificationKind, TEST_ID_PREFIX } from './alert.ts';
import { alertOf } from './engine/episode.ts';
import { noticeOf } from './engine/notices.ts';
import { isNoticeName, noticeTable } from './rules/notice-table.ts';
import { createRules, isRuleName, type RuleOptions } from './rules/rule-table.ts';

/** The duration of the example, which ends now. */
const EXAMPLE_LENGTH_MS = 47 * 60_000;

/**
 * An example alert of this rule at `nowMs`, with figures that match `options`; undefined for an unknown rule. Works for
 * disabled rules too, so that people can see what they would get.
 */
export function exampleAlert(name: string, nowMs: number, options: RuleOptions = {}): Alert | undefined {
  if (isNoticeName(name)) return exampleNotice(name, nowMs).alerts[0];
  if (!isRuleName(name)) return undefined;
  const [rule] = createRules({ ...options, [name]: options[name] || {} }).filter(one => one.name === name);
  return rule && alertOf(rule, rule.example(), 'firing', nowMs - EXAMPLE_LENGTH_MS);
}

/** A notification of the given kind about an alert, for `tidegate card` and `POST /api/alerts/test`. */
export function exampleNotification(alert: Alert, kind: NotificationKind, nowMs: number): Notification {
  const isNotice = isNoticeName(alert.rule);
  if (kind === 'test') return testNotification(alert, nowMs);
  const told: Alert =
    kind === 'resolved' && !isNotice ? { ...alert, state: 'resolved', endedAtMs: nowMs } : alert;
  return {
    kind: isNotice ? 'notice' : kind,
    alerts: [told],
    severity: alert.severity,
    dedupeKey: `example:${kind}:${alert.id}:${nowMs}`,
  };
}

/** Says in every text that may be shown by itself that it is a test: its figures are made up. */
function testNotification(alert: Alert, nowMs: number): Notification {
  const told: Alert = {
    ...alert,
    id: `${TEST_ID_PREFIX}${alert.id}`,
    isTest: true,
    summary: `Test with made-up figures: ${alert.summary}`,
  };
  const { severity } = alert;
  return { kind: 'test', alerts: [told], severity, dedupeKey: `example:test:${alert.id}:${nowMs}` };
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
