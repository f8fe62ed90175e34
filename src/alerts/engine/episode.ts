import { createHash } from 'node:crypto';
import type { Alert, Labels, Severity } from '../alert.ts';
import type { Breach, Rule } from '../rules/rule.ts';

/**
 * One firing of a condition, and which notifications were sent. Times are monotonic milliseconds; those of the alert
 * are wall-clock times for display.
 */
export interface Episode {
  readonly alert: Alert;
  /** When it last fired or was resolved. */
  readonly newsAtMs: number;
  /** How often and when it was last notified as firing. */
  readonly tellings: number;
  readonly lastToldMs: number;
}

/** The pending notification of an episode; `none` when there is nothing to send. */
export type PendingKind = 'firing' | 'repeat' | 'resolved' | 'none';

/** After how long an unacknowledged alert is notified again. */
export type RepeatIntervals = Readonly<Record<Severity, number>>;

/**
 * The pending notification of an episode. A silenced alert has none; an alert that was never notified as firing is not
 * notified as resolved.
 */
export function pendingKindOf(episode: Episode, nowMs: number, repeatMs: RepeatIntervals): PendingKind {
  const { alert, tellings, lastToldMs } = episode;
  if (alert.silencedUntilMs !== undefined) return 'none';
  if (alert.state === 'resolved') return tellings > 0 ? 'resolved' : 'none';
  if (tellings === 0) return 'firing';
  if (alert.acknowledgedBy !== undefined) return 'none';
  return nowMs - lastToldMs >= repeatMs[alert.severity] ? 'repeat' : 'none';
}

/** Identifies a condition by rule and labels, whatever the order of the labels. */
export function conditionFingerprint(rule: string, labels: Labels): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([rule, sorted]))
    .digest('hex')
    .slice(0, 16);
}

/** Creates the alert for a breach that was first seen at `startedAtMs` (wall clock). */
export function alertOf(
  rule: Pick<Rule, 'name' | 'severity'>,
  breach: Breach,
  state: 'pending' | 'firing',
  startedAtMs: number,
): Alert {
  const { labels, summary, facts, subjects, cause } = breach;
  const fingerprint = conditionFingerprint(rule.name, labels);
  return {
    id: `${fingerprint}.${Math.round(startedAtMs).toString(36)}`,
    ...{ fingerprint, rule: rule.name, severity: rule.severity, state, labels, summary, facts, startedAtMs },
    ...(cause === undefined ? {} : { cause }),
    ...(subjects ? { subjects } : {}),
  };
}
