import { formatHttpDate, parseHttpDate } from '../../http/http-date.ts';

const isoForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/**
 * Parses a date in a header to milliseconds since the epoch, in the formats of RFC 9110 §5.6.7 or ISO 8601
 * (docs/semantics.md 83); undefined for anything else.
 */
export function parseDate(text: string, nowMs: number): number | undefined {
  return parseHttpDate(text, nowMs) ?? parseIsoDate(text);
}

/** Parses a time as in documents and some headers: `2026-01-31T00:00:00.000Z`; undefined for anything else. */
export function parseIsoDate(text: string): number | undefined {
  const ms = isoForm.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** The preferred format of RFC 9110 §5.6.7, in whole seconds (docs/semantics.md 194). */
export const formatDate = formatHttpDate;

/** The format used in documents. */
export function formatIsoDate(ms: number): string {
  return new Date(ms).toISOString();
}
