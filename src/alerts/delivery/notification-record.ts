import { z } from 'zod';
import type { Alert, Notification } from '../alert.ts';

const severity = z.enum(['info', 'warning', 'critical']);

/** Loose: what a newer version wrote beside these is kept. */
const alert: z.ZodType<Alert> = z.looseObject({
  id: z.string(),
  fingerprint: z.string(),
  rule: z.string(),
  severity,
  state: z.enum(['pending', 'firing', 'resolved']),
  labels: z.record(z.string(), z.string()),
  summary: z.string(),
  facts: z.array(z.object({ name: z.string(), value: z.string() })),
  startedAtMs: z.number(),
  endedAtMs: z.number().exactOptional(),
  subject: z
    .object({ bucket: z.string(), key: z.string(), versionId: z.string().exactOptional() })
    .exactOptional(),
  silencedUntilMs: z.number().exactOptional(),
  silencedBy: z.string().exactOptional(),
  silenceReason: z.string().exactOptional(),
  acknowledgedBy: z.string().exactOptional(),
});

const notification: z.ZodType<Notification> = z.object({
  kind: z.enum(['firing', 'resolved', 'repeat', 'digest', 'notice', 'test']),
  alerts: z.array(alert),
  severity,
  dedupeKey: z.string(),
});

/** A notification as the state file holds it. Throws ZodError or SyntaxError for what is none. */
export function parseNotification(json: string): Notification {
  return notification.parse(JSON.parse(json));
}
