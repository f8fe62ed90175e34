import { z } from 'zod';
import { LONGEST_SILENCE_MS, type SilenceRequest } from './silence.ts';

/** The result of parsing a request for a silence. */
type SilenceRequestVerdict =
  | { readonly kind: 'accepted'; readonly request: SilenceRequest }
  | { readonly kind: 'refused'; readonly reason: string };

const durationText = /^(\d{1,6})(m|h|d)$/;
const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const body = z.strictObject({
  rule: z.string().min(1).max(100).optional(),
  labels: z
    .record(z.string().max(100), z.string().max(1_000))
    .refine(labels => Object.keys(labels).length <= 10, 'holds more than ten labels')
    .default({}),
  until: z.iso.datetime({ offset: true }).optional(),
  for: z.string().regex(durationText, 'is a number of minutes, hours or days: 30m, 2h, 1d').optional(),
  by: z.string().trim().min(1).max(200),
  why: z.string().trim().min(1).max(500),
});

/**
 * Parses the body of `POST /api/silences`: `rule`, `labels` or both; `until` (RFC 3339) or `for` (`30m`, `2h`, `1d`);
 * `by` and `why`. The end must be after `nowMs` and within 90 days. `rules` are the valid names.
 */
export function readSilenceRequest(
  json: unknown,
  nowMs: number,
  rules: readonly string[],
): SilenceRequestVerdict {
  const parsed = body.safeParse(json);
  if (!parsed.success) return refused(describe(parsed.error));
  const { rule, labels, by, why, until, for: duration } = parsed.data;
  if (rule === undefined && Object.keys(labels).length === 0) {
    return refused('rule or labels: one of them says what is silenced');
  }
  if (rule !== undefined && !rules.includes(rule))
    return refused(`rule: there is no ${rule}, only ${rules.join(', ')}`);
  if ((until === undefined) === (duration === undefined))
    return refused('until or for: exactly one says how long');
  const untilMs = until === undefined ? nowMs + durationMs(duration ?? '') : Date.parse(until);
  if (!(untilMs > nowMs)) return refused('the silence would be over already');
  if (untilMs > nowMs + LONGEST_SILENCE_MS) return refused('the silence would last longer than 90 days');
  return {
    kind: 'accepted',
    request: { ...(rule === undefined ? {} : { rule }), labels, untilMs, by, why },
  };
}

function refused(reason: string): SilenceRequestVerdict {
  return { kind: 'refused', reason };
}

function durationMs(duration: string): number {
  const [, count = '0', unit = 'm'] = durationText.exec(duration) ?? [];
  return Number(count) * (unitMs[unit] ?? 0);
}

function describe(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ');
}
