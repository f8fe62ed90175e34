import type { Alert, Notification, NotificationKind, Severity } from '../../src/alerts/alert.ts';

/** An alert of `rule` as tests need one; `changes` replace what matters to them. */
export function sampleAlert(rule: string, changes: Partial<Alert> = {}): Alert {
  const labels = { backend: 'main' };
  return {
    id: `${rule}-1`,
    fingerprint: rule,
    rule,
    severity: 'warning',
    state: 'firing',
    labels,
    summary: `${rule} of backend main`,
    facts: [{ name: 'Backend', value: 'main' }],
    startedAtMs: Date.UTC(2026, 0, 1),
    ...changes,
  };
}

/** A notification of one alert under the key `key`. */
export function sampleNotification(
  key: string,
  severity: Severity = 'warning',
  kind: NotificationKind = 'firing',
  rule: string = key,
): Notification {
  const state = kind === 'resolved' ? 'resolved' : 'firing';
  return {
    kind,
    severity,
    dedupeKey: key,
    alerts: [sampleAlert(rule, { id: `${rule}:${key}`, severity, state })],
  };
}
