const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const imfFixdate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;
const rfc850 =
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d):(\d\d):(\d\d) GMT$/;
const asctime = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})$/;

/**
 * Parses a date in one of the three formats of RFC 9110 §5.6.7 to milliseconds since the epoch. Undefined for other
 * formats and for days or times that do not exist. The weekday is not checked against the date (docs/semantics.md 84).
 *
 * @param nowMs decides the century of a two-digit year: at most 50 years in the future. Without it, such years mean
 *   1970 to 2069.
 */
export function parseHttpDate(text: string, nowMs?: number): number | undefined {
  const fixdate = imfFixdate.exec(text);
  if (fixdate) {
    const [, day, month, year, hour, minute, second] = fixdate;
    return epochMs(Number(year), month, day, hour, minute, second);
  }
  return parseObsoleteDate(text, nowMs);
}

/**
 * Parses a date that decides freshness: like `parseHttpDate`, but letters of any case count, as RFC 9111 §4.2 asks of caches.
 */
export function parseCachedDate(text: string, nowMs: number): number | undefined {
  return parseHttpDate(text, nowMs) ?? parseHttpDate(text.replace(/[a-z]+/gi, inUsualCase), nowMs);
}

function inUsualCase(word: string): string {
  const upper = word.toUpperCase();
  return upper === 'GMT' ? upper : upper.slice(0, 1) + word.slice(1).toLowerCase();
}

const iso8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/**
 * Parses the date of a conditional header: like `parseHttpDate`, but also accepts the ISO 8601 format that some clients
 * send (docs/semantics.md 83).
 */
export function parseConditionDate(text: string, nowMs: number): number | undefined {
  const httpDateMs = parseHttpDate(text, nowMs);
  if (httpDateMs !== undefined || !iso8601.test(text)) return httpDateMs;
  const isoDateMs = Date.parse(text);
  return Number.isNaN(isoDateMs) ? undefined : isoDateMs;
}

/**
 * Formats milliseconds since the epoch as IMF-fixdate, the preferred format, dropping fractions of a second (RFC 9110
 * §5.6.7).
 */
export function formatHttpDate(epochMs: number): string {
  return new Date(epochMs).toUTCString();
}

function parseObsoleteDate(text: string, nowMs: number | undefined): number | undefined {
  const old = rfc850.exec(text);
  if (old) {
    const [, day, month, year, hour, minute, second] = old;
    return epochMs(fullYear(Number(year), nowMs), month, day, hour, minute, second);
  }
  const ctime = asctime.exec(text);
  if (!ctime) return undefined;
  const [, month, day, hour, minute, second, year] = ctime;
  return epochMs(Number(year), month, day, hour, minute, second);
}

function fullYear(twoDigits: number, nowMs: number | undefined): number {
  const latest = nowMs === undefined ? 2069 : new Date(nowMs).getUTCFullYear() + 50;
  const year = latest - (latest % 100) + twoDigits;
  return year > latest ? year - 100 : year;
}

function epochMs(year: number, monthName = '', ...[day, hour, minute, second]: (string | undefined)[]) {
  const month = monthNames.indexOf(monthName);
  const [days, hours, minutes, seconds] = [Number(day), Number(hour), Number(minute), Number(second)];
  // 60 seconds are accepted for a leap second, which epoch time does not count separately.
  if (month < 0 || days < 1 || hours > 23 || minutes > 59 || seconds > 60) return undefined;
  const date = new Date(0);
  // Unlike Date.UTC, this does not add 1900 to years below 100.
  date.setUTCFullYear(year, month, days);
  if (date.getUTCDate() !== days) return undefined;
  return date.getTime() + 1000 * (3600 * hours + 60 * minutes + Math.min(seconds, 59));
}

/** The value of the Date header (RFC 9110 §6.6.1), formatted once per second. */
export class DateHeader {
  readonly #nowMs: () => number;
  #second = Number.NaN;
  #text = '';

  /** @param nowMs milliseconds since the epoch */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** That of an answer which begins now. */
  get now(): string {
    const nowMs = this.#nowMs();
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = formatHttpDate(nowMs);
    }
    return this.#text;
  }
}
