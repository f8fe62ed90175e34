import { createHash } from 'node:crypto';
import { type Alert, compareSeverity, type Notification, type Severity } from '../alert.ts';
import { type Episode, type PendingKind, pendingKindOf, type RepeatIntervals } from './episode.ts';

export interface AnnouncementTiming {
  /** How long news of this severity waits for more alerts of the same rule, in milliseconds. */
  readonly groupWaitMs: Readonly<Record<Severity, number>>;
  readonly repeatMs: RepeatIntervals;
}

/** The alerts of one card, and their episodes. */
interface Announcement {
  readonly notification: Notification;
  readonly episodes: readonly Episode[];
}

/**
 * The announcements due at `nowMs`: all news of one rule and kind together, once the first has waited long enough.
 * Firing and resolved alerts never share a card.
 */
export function announcementsDue(
  episodes: readonly Episode[],
  nowMs: number,
  timing: AnnouncementTiming,
): readonly Announcement[] {
  const groups = new Map<string, { kind: Exclude<PendingKind, 'none'>; episodes: Episode[] }>();
  for (const episode of episodes) {
    const kind = pendingKindOf(episode, nowMs, timing.repeatMs);
    if (kind === 'none') continue;
    const key = `${kind} ${episode.alert.rule}`;
    const group = groups.get(key);
    if (group) group.episodes.push(episode);
    else groups.set(key, { kind, episodes: [episode] });
  }
  return Array.from(groups.values())
    .filter(group => group.episodes.some(episode => isDue(episode, nowMs, timing)))
    .map(group => ({ notification: notificationOf(group.kind, group.episodes), episodes: group.episodes }));
}

function isDue({ alert, newsAtMs }: Episode, nowMs: number, { groupWaitMs }: AnnouncementTiming): boolean {
  return nowMs - newsAtMs >= groupWaitMs[alert.severity];
}

/** The highest of the alerts' severities. */
function severityOf(alerts: readonly Alert[]): Severity {
  return alerts.reduce<Severity>(
    (highest, { severity }) => (compareSeverity(severity, highest) > 0 ? severity : highest),
    'info',
  );
}

function notificationOf(kind: Exclude<PendingKind, 'none'>, episodes: readonly Episode[]): Notification {
  const alerts = episodes.map(({ alert }) => alert);
  const told = episodes.map(({ alert, tellings }) => `${alert.id}/${tellings}`).sort();
  const digest = createHash('sha256').update(told.join(' ')).digest('hex').slice(0, 32);
  return { kind, alerts, severity: severityOf(alerts), dedupeKey: `${kind}:${digest}` };
}
