const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** The three forms of RFC 9110 §5.6.7, and what ISO 8601 makes of the first (behaviours.md 83). */
const FORMS = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]+day, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];
const ISO_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/** Milliseconds since the epoch; undefined for what is no date. A two-digit year is at most 50 years ahead. */
export function parseDate(text: string, nowMs: number): number | undefined {
  const iso = ISO_FORM.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(iso)) return iso;
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts) return fromParts(parts, nowMs);
  }
  return undefined;
}

/** IMF-fixdate, whole seconds (behaviours.md 194). */
export function formatDate(ms: number): string {
  return new Date(ms).toUTCString();
}

function fromParts(parts: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const { day = '', month = '', year = '', time = '' } = parts;
  const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  const ms = Date.parse(`${fullYear(year, nowMs)}-${monthNumber}-${day.trim().padStart(2, '0')}T${time}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

function fullYear(year: string, nowMs: number): string {
  if (year.length === 4) return year;
  const latest = new Date(nowMs).getUTCFullYear() + 50;
  const candidate = Math.floor(latest / 100) * 100 + Number(year);
  return String(candidate > latest ? candidate - 100 : candidate);
}
