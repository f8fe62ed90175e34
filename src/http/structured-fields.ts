import { withoutTrailing } from '../base/without-trailing.ts';

/** A bare item (RFC 9651 §3.3); Date, Byte Sequence and Display String are texts here, as they were written. */
export type BareItem =
  | { readonly kind: 'integer' | 'decimal'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'string' | 'token' | 'other'; readonly value: string };

const key = /[a-z*][a-z0-9_.*-]*/y;
const patterns: readonly (readonly [RegExp, (text: string) => BareItem])[] = [
  [/-?\d{1,12}\.\d{1,3}(?![\d.])/y, text => ({ kind: 'decimal', value: Number(text) })],
  [/-?\d{1,15}(?![\d.])/y, text => ({ kind: 'integer', value: Number(text) })],
  [/"(?:[ !#-[\]-~]|\\["\\])*"/y, text => ({ kind: 'string', value: unescaped(text) })],
  [/[A-Za-z*][\w!#$%&'*+.^`|~:/-]*/y, text => ({ kind: 'token', value: text })],
  [/\?[01]/y, text => ({ kind: 'boolean', value: text === '?1' })],
  [
    /:[A-Za-z0-9+/=]*:|@-?\d{1,15}(?![\d.])|%"(?:[ !#-$&-~]|%[0-9a-f]{2})*"/y,
    text => ({ kind: 'other', value: text }),
  ],
];
const isTrue: BareItem = { kind: 'boolean', value: true };

/**
 * Parses a Dictionary (RFC 9651 §4.2.2), without its parameters; of a key that is repeated the last counts. Inner lists have no
 * value here. Undefined for what is none: it is ignored as a whole (§4.2).
 *
 * @param field all lines joined by commas
 */
export function parseDictionary(field: string): ReadonlyMap<string, BareItem | undefined> | undefined {
  const from = new Scanner(field);
  const members = new Map<string, BareItem | undefined>();
  from.skip(/ */y);
  while (!from.isAtEnd) {
    const name = from.take(key);
    if (name === undefined) return undefined;
    const member = from.take(/=/y) === undefined ? isTrue : memberOf(from);
    if (member === 'invalid' || !skipParameters(from)) return undefined;
    // in the place of the last
    members.delete(name);
    members.set(name, member);
    from.skip(/[ \t]*/y);
    if (from.isAtEnd) return members;
    if (from.take(/,/y) === undefined) return undefined;
    from.skip(/[ \t]*/y);
    if (from.isAtEnd) return undefined;
  }
  return members;
}

/** An item, or undefined for an inner list. */
function memberOf(from: Scanner): BareItem | undefined | 'invalid' {
  if (from.take(/\(/y) === undefined) return itemOf(from) ?? 'invalid';
  for (;;) {
    const space = from.take(/ */y);
    if (from.take(/\)/y) !== undefined) return undefined;
    if (space === undefined || !itemOf(from) || !skipParameters(from)) return 'invalid';
    if (!from.isBefore(/[ )]/y)) return 'invalid';
  }
}

function itemOf(from: Scanner): BareItem | undefined {
  for (const [pattern, itemFrom] of patterns) {
    const text = from.take(pattern);
    if (text !== undefined) return itemFrom(text);
  }
  return undefined;
}

function skipParameters(from: Scanner): boolean {
  while (from.take(/; */y) !== undefined) {
    if (from.take(key) === undefined) return false;
    if (from.take(/=/y) !== undefined && !itemOf(from)) return false;
  }
  return true;
}

function unescaped(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\(.)/g, '$1');
}

/** Reads a text from front to back. */
class Scanner {
  readonly #text: string;
  #at = 0;

  /** Trailing spaces are discarded (RFC 9651 §4.2). */
  constructor(text: string) {
    this.#text = withoutTrailing(text, ' ');
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** What `sticky` matches here, and goes on behind it; undefined where it does not match. */
  take(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at;
    const [found] = sticky.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  skip(sticky: RegExp): void {
    this.take(sticky);
  }

  isBefore(sticky: RegExp): boolean {
    sticky.lastIndex = this.#at;
    return sticky.test(this.#text);
  }
}
