import { formatHttpDate, parseHttpDate } from '../../http/http-date.ts';

const isoForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/**
 * Milliseconds since the epoch of a date in a header, in the forms of RFC 9110 §5.6.7 or in that of ISO 8601
 * (docs/semantics.md 83); undefined for what is none.
 */
export function parseDate(text: string, nowMs: number): number | undefined {
  return parseHttpDate(text, nowMs) ?? parseIsoDate(text);
}

/** A moment as documents and some headers have it: `2026-01-31T00:00:00.000Z`; undefined for what is none. */
export function parseIsoDate(text: string): number | undefined {
  const ms = isoForm.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** The form of RFC 9110 §5.6.7 that is sent, whole seconds (docs/semantics.md 194). */
export const formatDate = formatHttpDate;

/** The form of documents. */
export function formatIsoDate(ms: number): string {
  return new Date(ms).toISOString();
}
