import { createHash } from 'node:crypto';
import type { Alert, Labels, Severity } from '../alert.ts';
import type { Breach, Rule } from '../rules/rule.ts';

/**
 * One firing of one condition, and what has been told of it. Times are monotonic milliseconds; the alert's own
 * are the wall clock's, for people.
 */
export interface Episode {
  readonly alert: Alert;
  /** When there was something new to tell: it fired, or it was resolved. */
  readonly newsAtMs: number;
  /** How often it has been told that it fires, and when last. */
  readonly tellings: number;
  readonly lastToldMs: number;
}

/** What is to be told of an episode now, or that it waits for others to be told with, or that nothing is. */
export type News = 'firing' | 'repeat' | 'resolved' | 'none';

/** After how long an unacknowledged alert is told again. */
export type RepeatIntervals = Readonly<Record<Severity, number>>;

/** The news about an episode. A silenced alert has none; one that was never told is not told to be over. */
export function newsOf(episode: Episode, nowMs: number, repeatMs: RepeatIntervals): News {
  const { alert, tellings, lastToldMs } = episode;
  if (alert.silencedUntilMs !== undefined) return 'none';
  if (alert.state === 'resolved') return tellings > 0 ? 'resolved' : 'none';
  if (tellings === 0) return 'firing';
  if (alert.acknowledgedBy !== undefined) return 'none';
  return nowMs - lastToldMs >= repeatMs[alert.severity] ? 'repeat' : 'none';
}

/** The name of a condition: the same for the same rule and labels, whatever their order. */
export function conditionFingerprint(rule: string, labels: Labels): string {
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([rule, sorted]))
    .digest('hex')
    .slice(0, 16);
}

/** The alert of a breach that was first seen at `startedAtMs` (wall clock). */
export function alertOf(
  rule: Pick<Rule, 'name' | 'severity'>,
  breach: Breach,
  state: 'pending' | 'firing',
  startedAtMs: number,
): Alert {
  const { labels, summary, facts, subject } = breach;
  const fingerprint = conditionFingerprint(rule.name, labels);
  return {
    id: `${fingerprint}.${Math.round(startedAtMs).toString(36)}`,
    ...{ fingerprint, rule: rule.name, severity: rule.severity, state, labels, summary, facts, startedAtMs },
    ...(subject ? { subject } : {}),
  };
}
