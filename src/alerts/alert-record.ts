import { z } from 'zod';
import type { Alert } from './alert.ts';

const object = z.object({ bucket: z.string(), key: z.string(), versionId: z.string().exactOptional() });

/** An alert in the state file. Unknown fields, written by a newer version, are kept. */
export const alertRecord: z.ZodType<Alert> = z.looseObject({
  id: z.string(),
  fingerprint: z.string(),
  rule: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  state: z.enum(['pending', 'firing', 'resolved']),
  labels: z.record(z.string(), z.string()),
  summary: z.string(),
  facts: z.array(z.object({ name: z.string(), value: z.string(), object: object.exactOptional() })),
  cause: z.string().exactOptional(),
  startedAtMs: z.number(),
  endedAtMs: z.number().exactOptional(),
  subjects: z.array(object).exactOptional(),
  isTest: z.boolean().exactOptional(),
  silencedUntilMs: z.number().exactOptional(),
  silencedBy: z.string().exactOptional(),
  silenceReason: z.string().exactOptional(),
  acknowledgedBy: z.string().exactOptional(),
});
