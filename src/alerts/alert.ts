/** How urgent an alert is: `critical` needs a person now, `warning` today, `info` needs no one. */
export type Severity = 'info' | 'warning' | 'critical';

/** The states of an alert; a rule whose condition does not hold has none (inactive). */
type AlertState = 'pending' | 'firing' | 'resolved';

/** A labelled value of an alert; the value may contain text from outside. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  /** The object that the value names. */
  readonly object?: ObjectSubject;
}

/** The object an alert is about, as clients address it. */
export interface ObjectSubject {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
}

/** Label names and values, which distinguish the alerts of one rule. */
export type Labels = Readonly<Record<string, string>>;

/**
 * One episode of a condition: immutable data, replaced as a whole on every change. Texts are raw and must be escaped
 * when shown.
 */
export interface Alert {
  /** Identifies this episode: the fingerprint and the start time. An acknowledgement applies to this episode only. */
  readonly id: string;
  /** Identifies the condition by rule and labels; the same for every episode. */
  readonly fingerprint: string;
  /** The rule's name in `alerts.rules`, such as `backendErrors`. */
  readonly rule: string;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly labels: Labels;
  /** One sentence with the current figures. */
  readonly summary: string;
  readonly facts: readonly Fact[];
  /** Why it is so, as the name of an error such as `ECONNREFUSED`, where that is known. */
  readonly cause?: string;
  /** When the condition was first seen, milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** When the condition was last seen, milliseconds since the epoch; set once resolved. */
  readonly endedAtMs?: number;
  /** The objects it is about, the most important first. */
  readonly subjects?: readonly ObjectSubject[];
  /** Made up, for a test card: its figures are not measured, and its buttons change nothing. */
  readonly isTest?: boolean;
  /** No notifications until then; `silencedBy` and `silenceReason` tell who silenced it and why. */
  readonly silencedUntilMs?: number;
  readonly silencedBy?: string;
  readonly silenceReason?: string;
  readonly acknowledgedBy?: string;
}

/** `notice` reports an event (started, stopped, heartbeat); `digest` combines several notifications. */
export type NotificationKind = 'firing' | 'resolved' | 'repeat' | 'digest' | 'notice' | 'test';

/** What is posted to a channel in one card. */
export interface Notification {
  readonly kind: NotificationKind;
  /** At least one; of one rule, except in a digest. */
  readonly alerts: readonly Alert[];
  /** The highest severity of the alerts. */
  readonly severity: Severity;
  /** Equal for the same news: a notification whose key was queued before is not queued again. */
  readonly dedupeKey: string;
}

/** The ids of test alerts begin so; those of others are hashes. */
export const TEST_ID_PREFIX = 'test:';

const severityRanks: Readonly<Record<Severity, number>> = { info: 0, warning: 1, critical: 2 };

/** Negative, zero or positive when `a` is less urgent than, as urgent as or more urgent than `b`. */
export function compareSeverity(a: Severity, b: Severity): number {
  return severityRanks[a] - severityRanks[b];
}
