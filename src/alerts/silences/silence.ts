import type { Alert, Labels } from '../alert.ts';

/** Selects alerts by rule (any, when absent) and labels (all must be equal). */
interface SilenceMatcher {
  readonly rule?: string;
  readonly labels: Labels;
}

/** No notifications about matching alerts until `untilMs`. */
export interface Silence extends SilenceMatcher {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
  readonly createdAtMs: number;
  readonly by: string;
  readonly why: string;
}

/** A silence to be created. */
export interface SilenceRequest extends SilenceMatcher {
  readonly untilMs: number;
  readonly by: string;
  readonly why: string;
}

/** The longest silence; to disable a rule for longer, turn it off. */
export const LONGEST_SILENCE_MS = 90 * 86_400_000;

/** Whether the silence matches this alert. */
export function matches({ rule, labels }: SilenceMatcher, alert: Pick<Alert, 'rule' | 'labels'>): boolean {
  if (rule !== undefined && rule !== alert.rule) return false;
  return Object.entries(labels).every(([name, value]) => alert.labels[name] === value);
}

/** Matches exactly this alert's condition, in this and later episodes. */
export function matcherOf({ rule, labels }: Alert): SilenceMatcher {
  return { rule, labels };
}

/** Adds the details of the longest matching silence to the alert. */
export function withSilence(alert: Alert, silences: readonly Silence[]): Alert {
  const [longest] = silences.filter(silence => matches(silence, alert)).sort((a, b) => b.untilMs - a.untilMs);
  if (!longest) return alert;
  return {
    ...alert,
    silencedUntilMs: longest.untilMs,
    silencedBy: longest.by,
    silenceReason: longest.why,
  };
}
