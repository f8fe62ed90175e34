import { hash } from 'node:crypto';
import { lengthPrefixed } from '../base/length-prefixed.ts';
import { isToken } from './token.ts';
import { withoutWhiteSpace } from './white-space.ts';

/** The request fields that an answer depends on, in lower case, sorted; `*` where nobody can tell. */
export type Vary = readonly string[] | '*';

/** No answer depends on more. Each request that it may be for is looked at for each of them. */
const MOST_NAMES = 32;
const LONGEST_FIELD = 1_024;

/**
 * Parses Vary (RFC 9110 §12.5.5). A list with `*`, or with what is no name of a field, is `*`, and so is one of more than 32 names
 * or 1 KiB.
 *
 * @param field all lines joined by commas
 */
export function parseVary(field: string | undefined): Vary {
  if (field === undefined) return [];
  if (field.length > LONGEST_FIELD) return '*';
  const names = new Set<string>();
  for (const member of field.split(',')) {
    const name = withoutWhiteSpace(member).toLowerCase();
    if (name === '') continue;
    if (name === '*' || !isToken(name)) return '*';
    names.add(name);
  }
  return names.size > MOST_NAMES ? '*' : [...names].sort();
}

/**
 * Names the variant that a request selects: equal for requests whose selecting fields mean the same (RFC 9111 §4.1). An
 * absent field selects what an absent one selected.
 *
 * @param fieldOf the value of a request's field by its name in lower case; several lines joined by commas
 */
export function variantName(names: readonly string[], fieldOf: (name: string) => string | undefined): string {
  let variant = '';
  for (const name of names)
    variant += lengthPrefixed(name) + lengthPrefixed(shortened(selectingValue(name, fieldOf(name))));
  return variant;
}

/** So a name has some KiB at most: that of a field of Vary, and as much for each of 32 values. */
const LONGEST_NAMED = 128;

/** No value of a field has one (RFC 9110 §5.5). */
const NUL = '\0';

function shortened(value: string | undefined): string | undefined {
  if (value === undefined || value.length <= LONGEST_NAMED) return value;
  return NUL + hash('sha256', value, 'base64url');
}

/** Whether a value in the name of a variant stands for a longer one. */
export function isShortened(value: string): boolean {
  return value.startsWith(NUL);
}

/** Lists of preferences, whose order is that of their weights (RFC 9110 §12.4.2, §12.5). */
const preferences: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
]);

/**
 * Among members of one weight the order counts, since origins may give what comes first (RFC 9110 §12.5.4 knows of some), but for
 * codings, of which the client takes any that it names (§12.5.3).
 */
const unordered: ReadonlySet<string> = new Set(['accept-encoding']);

/** Codings that servers have (RFC 9110 §8.4.1, RFC 7932, RFC 8878, RFC 9842); others that a client names select nothing. */
const knownCodings: ReadonlySet<string> = new Set([
  ...['gzip', 'x-gzip', 'compress', 'x-compress', 'deflate', 'br', 'zstd', 'dcb', 'dcz', 'identity', '*'],
]);

/** Whether variants of this Content-Encoding are told apart by what clients accept. */
export function isKnownCoding(contentEncoding: string | undefined): boolean {
  const codings = (contentEncoding ?? '').split(',').map(withoutWhiteSpace);
  return codings.every(coding => coding === '' || knownCodings.has(coding.toLowerCase()));
}

/** Request fields that are no lists, and may have commas. */
const singletons: ReadonlySet<string> = new Set([
  ...['authorization', 'cookie', 'date', 'from', 'if-modified-since', 'if-unmodified-since', 'if-range'],
  ...['proxy-authorization', 'referer', 'user-agent'],
]);

/** A longer value is compared as it is spelled. */
const LONGEST_LIST = 1_024;

function selectingValue(name: string, value: string | undefined): string | undefined {
  if (value === undefined || value.length > LONGEST_LIST) return value;
  if (value.includes('"') || singletons.has(name)) return value;
  // it may be a list: the white space around its commas means nothing (RFC 9110 §5.6.1)
  const members = value.split(',').map(withoutWhiteSpace);
  return preferences.has(name) ? (inOrder(name, members) ?? value) : members.join();
}

/**
 * Preferences in one order and spelling: weight 1 is left out, trailing zeros are, and so is white space (RFC 9110 §12.4.2). Undefined
 * where one is not spelled in the usual way, though the RFC may allow it: nobody knows what origins make of that, and what they answer
 * must not be for others.
 */
function inOrder(name: string, members: readonly string[]): string | undefined {
  const named = members.map(member => preference(name, member));
  if (!named.every(member => member !== undefined)) return undefined;
  const wanted = name === 'accept-encoding' ? named.filter(({ range }) => knownCodings.has(range)) : named;
  if (unordered.has(name)) wanted.sort((one, other) => (one.text < other.text ? -1 : 1));
  return wanted
    .sort((one, other) => other.weight - one.weight)
    .map(({ text }) => text)
    .join();
}

interface Preference {
  /** What is preferred, without parameters. */
  readonly range: string;
  readonly text: string;
  readonly weight: number;
}

const token = "[\\w!#$%&'*+.^`|~-]+";
const semicolon = '[ \\t]*;[ \\t]*';
const weightPattern = `(?:${semicolon}q=(0(?:\\.\\d{1,3})?|1(?:\\.0{1,3})?))?`;

/** RFC 9110 §12.5.1. */
const mediaRange = new RegExp(
  `^(${token}/${token})((?:${semicolon}(?![qQ]=)${token}=${token})*)${weightPattern}$`,
);
/** RFC 9110 §12.5.2 to §12.5.4; it has no parameters, and captures none. */
const plainRange = new RegExp(`^(${token})()${weightPattern}$`);

function preference(name: string, member: string): Preference | undefined {
  const [, named, parameters = '', stated = '1'] =
    (name === 'accept' ? mediaRange : plainRange).exec(member) ?? [];
  if (named === undefined) return undefined;
  const lower = named.toLowerCase();
  // parameters of a media range may be case-sensitive
  const text = lower + parameters.replaceAll(/[ \t]/g, '');
  const weighed = Number(stated);
  return { range: lower, text: weighed === 1 ? text : `${text};q=${weighed}`, weight: weighed };
}
