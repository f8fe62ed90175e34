import { z } from 'zod';
import type { Notification } from '../alert.ts';
import { alertRecord } from '../alert-record.ts';

const notification: z.ZodType<Notification> = z.object({
  kind: z.enum(['firing', 'resolved', 'repeat', 'digest', 'notice', 'test']),
  alerts: z.array(alertRecord),
  severity: z.enum(['info', 'warning', 'critical']),
  dedupeKey: z.string(),
});

/** Parses a notification from the state file. @throws ZodError or SyntaxError when invalid */
export function parseNotification(json: string): Notification {
  return notification.parse(JSON.parse(json));
}
