import type { Alert, Labels } from '../alert.ts';

/** What is silenced: alerts of this rule (any, when absent) that carry all of these labels. */
export interface SilenceMatcher {
  readonly rule?: string;
  readonly labels: Labels;
}

/** Nothing is posted about matching alerts until `untilMs`. */
export interface Silence extends SilenceMatcher {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
  readonly createdAtMs: number;
  readonly by: string;
  readonly why: string;
}

/** A silence to be made. */
export interface SilenceRequest extends SilenceMatcher {
  readonly untilMs: number;
  readonly by: string;
  readonly why: string;
}

/** The longest silence: what is quiet for longer wants its rule turned off. */
export const LONGEST_SILENCE_MS = 90 * 86_400_000;

/** Whether the silence is about this alert. */
export function matches({ rule, labels }: SilenceMatcher, alert: Pick<Alert, 'rule' | 'labels'>): boolean {
  if (rule !== undefined && rule !== alert.rule) return false;
  return Object.entries(labels).every(([name, value]) => alert.labels[name] === value);
}

/** Matches this alert's condition and no other, in this and later episodes. */
export function matcherOf({ rule, labels }: Alert): SilenceMatcher {
  return { rule, labels };
}

/** The alert with what the longest of the matching silences says of it. */
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
