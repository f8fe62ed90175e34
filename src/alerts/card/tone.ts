import type { Notification } from '../alert.ts';

/** The style of a card: the severity of its alerts, or `resolved`. */
export type Tone = 'critical' | 'warning' | 'info' | 'resolved';

/** The colour of each tone, hexadecimal without `#`. */
export const toneColours: Readonly<Record<Tone, string>> = {
  critical: 'C4314B',
  warning: 'D98200',
  info: '2B6CB0',
  resolved: '2E8B57',
};

/** The tone of a notification. */
export function toneOf({ kind, severity, alerts }: Notification): Tone {
  const isOver = kind === 'resolved' || alerts.every(({ state }) => state === 'resolved');
  return isOver ? 'resolved' : severity;
}
