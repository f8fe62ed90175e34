import { type Alert, compareSeverity, type Notification } from '../alert.ts';

const SHORT_SUMMARY_LENGTH = 200;
const SHORT_FACTS = 3;
const SHORT_FACT_LENGTH = 80;

/** Combines notifications into one: each alert once, in its latest state, the most urgent first. */
export function foldIntoDigest(notifications: readonly [Notification, ...Notification[]]): Notification {
  const [first, ...others] = notifications;
  const latest = new Map<string, Alert>();
  for (const alert of notifications.flatMap(notification => notification.alerts)) latest.set(alert.id, alert);
  const alerts = [...latest.values()].sort((a, b) => compareSeverity(b.severity, a.severity));
  const severity = others.reduce(
    (highest, { severity }) => (compareSeverity(severity, highest) > 0 ? severity : highest),
    first.severity,
  );
  return { kind: 'digest', alerts, severity, dedupeKey: `digest:${first.dedupeKey}` };
}

/** Shortens a notification to a minimum, after the service refused the whole card as too large. */
export function shrinkNotification(notification: Notification): Notification {
  const { alerts } = notification;
  const omitted = alerts.length > 1 ? ` (and ${alerts.length - 1} more)` : '';
  const note = { name: 'Shortened', value: `the whole card was too large for the channel${omitted}` };
  return {
    ...notification,
    alerts: alerts.slice(0, 1).map(alert => ({
      ...alert,
      summary: cut(alert.summary, SHORT_SUMMARY_LENGTH),
      facts: [
        ...alert.facts
          .slice(0, SHORT_FACTS)
          .map(({ name, value }) => ({ name, value: cut(value, SHORT_FACT_LENGTH) })),
        note,
      ],
    })),
  };
}

/** The first `length` characters; surrogate pairs are not split. */
function cut(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
