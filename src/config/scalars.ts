import { isIP } from 'node:net';
import { z } from 'zod';
import { meantHint, nearestName } from '../base/nearest-name.ts';
import { formatDuration, formatSize, parseDurationMs, parseSizeBytes } from './units.ts';

/** The name of a header field as a pattern (RFC 9110 §5.6.2). */
export const FIELD_NAME = "[!#$%&'*+.^_`|~\\dA-Za-z-]{1,256}";

/** A map with exactly these keys. The message lists them, for a value that is not a map and for unknown keys. */
export function map<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: () => `a map of ${Object.keys(shape).join(', ')}` });
}

/**
 * A map whose keys are names chosen by the operator; they become metric labels, so only a few characters are allowed.
 */
export function named<Value extends z.ZodType>(name: RegExp, nameMessage: string, value: Value) {
  return z.record(z.string().regex(name, nameMessage), value, {
    error: `a map, each key ${nameMessage}`,
  });
}

export function listOf<Item extends z.ZodType>(item: Item, what: string) {
  return z.array(item, { error: `a list of ${what}` });
}

/** A key for a part that does not exist yet: must be absent, otherwise the error says so. */
export function notBuilt(part: string) {
  return z
    .custom<undefined>(value => value === undefined, { error: part, params: { notBuilt: 'key' } })
    .optional();
}

/** One of `values`; those in `waiting` are documented but not supported yet. */
export function choice<const Value extends string>(
  values: readonly Value[],
  waiting: readonly string[] = [],
) {
  const allowed = values.join(', ');
  return z
    .string({ error: allowed })
    .refine(value => !waiting.includes(value), { error: allowed, params: { notBuilt: 'value' }, abort: true })
    .pipe(z.enum(values, { error: ({ input }) => allowed + misspeltHint(input, values) }));
}

/** What follows the allowed values where `written` is probably a misspelling of one of them. */
export function misspeltHint(written: unknown, values: Iterable<string>): string {
  return meantHint(typeof written === 'string' ? nearestName(written, values) : undefined);
}

export function text(what: string) {
  return z.string({ error: what }).min(1, { error: what });
}

/** A whole number; strings of digits are accepted too, as environment variables give strings. */
export function integer(min: number, max: number) {
  const what = `a whole number from ${min} to ${max}`;
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\d{1,15}$/)
          .transform(Number),
      ],
      { error: what },
    )
    .refine(value => Number.isInteger(value) && value >= min && value <= max, { error: what, abort: true });
}

/** A number with or without a fraction; strings are accepted too. */
export function amount(min: number, max: number, what = `a number from ${min} to ${max}`) {
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\d+(\.\d+)?$/)
          .transform(Number),
      ],
      { error: what },
    )
    .refine(value => value >= min && value <= max, { error: what, abort: true });
}

/** A share of a whole, which is not written as a percentage. */
export function share() {
  return amount(0, 1, 'a share from 0 to 1, such as 0.05 for 5 %');
}

export function flag() {
  return z.union([z.boolean(), z.enum(['true', 'false']).transform(value => value === 'true')], {
    error: 'true or false',
  });
}

export function port() {
  return integer(0, 65_535);
}

/** A duration with its unit; gives milliseconds. */
export function duration(minMs: number, maxMs: number) {
  const bounds =
    minMs === 0
      ? `up to ${formatDuration(maxMs)}`
      : `from ${formatDuration(minMs)} to ${formatDuration(maxMs)}`;
  return quantity(parseDurationMs, minMs, maxMs, `a duration such as 500ms, 10s, 5m, 1h or 1d, ${bounds}`);
}

/** A size with its unit; gives bytes. */
export function size(minBytes: number, maxBytes: number) {
  const what = `a size such as 64KiB, 1MiB or 20GiB, from ${formatSize(minBytes)} to ${formatSize(maxBytes)}`;
  return quantity(parseSizeBytes, minBytes, maxBytes, what);
}

/**
 * An http or https address without path, query or credentials, such as `example`; gives the origin.
 *
 * @param path what messages call the path, where they say what takes its place
 */
export function origin(example: string, path = 'path') {
  const what = `an address such as ${example}, without ${path}, query or credentials`;
  return z.string({ error: what }).transform((value, context) => {
    const url = URL.parse(value);
    const plain = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
    if (plain) return url.origin;
    context.issues.push({ code: 'custom', message: what, input: value });
    return z.NEVER;
  });
}

/** A complete http or https URL. */
export function httpUrl(what: string) {
  return z
    .string({ error: what })
    .refine(value => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), { error: what });
}

const HOST = 'an IP address or a host name';

/** The address that a listener binds: an IP address or a host name. */
export function host() {
  return z
    .string({ error: HOST })
    .regex(/^(?:[A-Za-z0-9.-]{1,253}|[0-9A-Fa-f:.]{2,45})$/, { error: HOST })
    .refine(value => !looksLikeAddress.test(value) || isIP(value) !== 0, { error: HOST });
}

/** Four numbers, or what has a colon: no names. */
const looksLikeAddress = /^\d+(?:\.\d+){3}$|:/;

function quantity(parse: (text: string) => number | undefined, min: number, max: number, what: string) {
  return z.string({ error: what }).transform((value, context) => {
    const parsed = parse(value);
    if (parsed !== undefined && parsed >= min && parsed <= max) return parsed;
    context.issues.push({ code: 'custom', message: what, input: value });
    return z.NEVER;
  });
}
