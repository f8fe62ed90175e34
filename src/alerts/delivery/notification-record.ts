import { z } from 'zod';
import type { Notification } from '../alert.ts';
import { alertRecord } from '../alert-record.ts';

const notification: z.ZodType<Notification> = z.object({
  kind: z.enum(['firing', 'resolved', 'repeat', 'digest', 'notice', 'test']),
  alerts: z.array(alertRecord),
  severity: z.enum(['info', 'warning', 'critical']),
  dedupeKey: z.string(),
});

/** A notification as the state file holds it. @throws ZodError or SyntaxError for what is none */
export function parseNotification(json: string): Notification {
  return notification.parse(JSON.parse(json));
}
