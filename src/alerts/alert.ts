/** How much an alert hurries: `critical` needs a person now, `warning` today, `info` nobody. */
export type Severity = 'info' | 'warning' | 'critical';

/** The states in which an alert is known; a rule that sees nothing wrong has none (inactive). */
export type AlertState = 'pending' | 'firing' | 'resolved';

/** One line of an alert: our name for it, and a value that may come from outside. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** The object an alert is about, as clients address it. */
export interface ObjectSubject {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
}

/** Label names and values; they tell the alerts of one rule apart. */
export type Labels = Readonly<Record<string, string>>;

/**
 * One episode of one condition: plain data, replaced by a new value whenever anything about it changes.
 * Texts are raw; whoever shows them escapes them.
 */
export interface Alert {
  /** Names this episode: the fingerprint and when it started. An acknowledgement belongs to it alone. */
  readonly id: string;
  /** Names the condition: rule and labels, the same for every episode. */
  readonly fingerprint: string;
  /** The rule's name in `alerts.rules`, such as `backendErrors`. */
  readonly rule: string;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly labels: Labels;
  /** One sentence with the figures of the moment. */
  readonly summary: string;
  readonly facts: readonly Fact[];
  /** When the condition was first seen, milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** When it was last seen, milliseconds since the epoch; set once resolved. */
  readonly endedAtMs?: number;
  readonly subject?: ObjectSubject;
  /** Nothing is posted about it until then; `silencedBy` says who wanted that, `silenceReason` why. */
  readonly silencedUntilMs?: number;
  readonly silencedBy?: string;
  readonly silenceReason?: string;
  readonly acknowledgedBy?: string;
}

/** `notice` tells of something that happened (started, stopped, heartbeat); `digest` folds several into one. */
export type NotificationKind = 'firing' | 'resolved' | 'repeat' | 'digest' | 'notice' | 'test';

/** What a channel should be told, in one card. */
export interface Notification {
  readonly kind: NotificationKind;
  /** At least one; of one rule, except in a digest. */
  readonly alerts: readonly Alert[];
  /** The highest of the alerts'. */
  readonly severity: Severity;
  /** Equal for the same news: what was queued once under a key need not be queued again. */
  readonly dedupeKey: string;
}

const severityRanks: Readonly<Record<Severity, number>> = { info: 0, warning: 1, critical: 2 };

/** Negative, zero or positive, as `a` hurries less than, as much as or more than `b`. */
export function compareSeverity(a: Severity, b: Severity): number {
  return severityRanks[a] - severityRanks[b];
}
