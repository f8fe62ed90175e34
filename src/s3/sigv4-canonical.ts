import { hash } from 'node:crypto';
import type { AccessPointService } from './access-point.ts';
import type { Pairs } from './error.ts';

/** The algorithm's name, the same under both header prefixes. */
export const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The last part of every credential scope, the same under both header prefixes. */
export const SCOPE_TERMINAL = 'aws4_request';

/** The service name for object stores; some kinds of access points have their own. */
export const SERVICE: AccessPointService = 's3';

/** Replaces the payload's hash when the signature does not cover the payload. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

/** SHA-256 of the empty string: the payload hash of a request without a body. */
export const EMPTY_PAYLOAD_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * The parts of a canonical request in wire format: one character per byte in path, query and header values, as in
 * node:http.
 */
export interface CanonicalParts {
  readonly method: string;
  /** The result of `canonicalUri`, or the raw path for signers that sign it unchanged. */
  readonly uri: string;
  /** The result of `canonicalQuery`. */
  readonly query: string;
  /** Lower-case names in the order of SignedHeaders; values as sent. */
  readonly headers: Pairs;
  readonly payloadHash: string;
}

/** The canonical request: method, path, query, headers, names of the signed headers, payload hash. */
export function canonicalRequest({ method, uri, query, headers, payloadHash }: CanonicalParts): string {
  let lines = '';
  for (const [name, value] of headers) lines += `${name}:${canonicalValue(value)}\n`;
  return `${method}\n${uri}\n${query}\n${lines}\n${signedHeaderNames(headers)}\n${payloadHash}`;
}

/** The names of the signed headers in the format of SignedHeaders. */
export function signedHeaderNames(headers: Pairs): string {
  return headers.map(([name]) => name).join(';');
}

/** A header value as signed: trimmed, with runs of spaces replaced by one space. */
function canonicalValue(value: string): string {
  const trimmed = value.trim();
  return trimmed.includes('  ') ? trimmed.replace(/ {2,}/g, ' ') : trimmed;
}

const plainPath = /^[\w\-.~/]+$/;
const pathUnits = /%[\da-fA-F]{2}|[^\w\-.~/]/gu;
const queryUnits = /%[\da-fA-F]{2}|[^\w\-.~]/gu;
const plainQueryPart = /^[\w\-.~]*$/;

/**
 * The path as stores sign it: decoded once and encoded again byte by byte, with upper-case hex and `/` unescaped; dots
 * and double slashes stay (docs/semantics.md 218 to 225). A `%` that is not part of an escape is an ordinary character.
 */
export function canonicalUri(rawPath: string): string {
  if (plainPath.test(rawPath)) return rawPath;
  return rawPath === ''
    ? '/'
    : rawPath.replace(pathUnits, unit => (unit === '%2f' || unit === '%2F' ? '/' : encodeUnit(unit)));
}

/**
 * The query as signed: names and values encoded like the path (but with `/` escaped and `+` read as a space), sorted by
 * name, then by value; a name without `=` gets an empty value.
 *
 * @param rawQuery without the question mark
 * @param without the decoded name of the parameter with the signature itself, which is left out
 */
export function canonicalQuery(rawQuery: string, without?: string): string {
  if (rawQuery === '') return '';
  const pairs: [string, string][] = [];
  for (const parameter of rawQuery.split('&')) {
    if (parameter === '') continue;
    const equals = parameter.indexOf('=');
    const name = encodeQueryPart(equals < 0 ? parameter : parameter.slice(0, equals));
    if (name !== without) pairs.push([name, equals < 0 ? '' : encodeQueryPart(parameter.slice(equals + 1))]);
  }
  if (pairs.length > 1) pairs.sort(byNameThenValue);
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}

/** Encodes a name or value for a canonical query: its UTF-8 bytes, escaped. */
export function encodeForQuery(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, encodeUnit);
}

function encodeQueryPart(raw: string): string {
  if (plainQueryPart.test(raw)) return raw;
  return raw.replace(queryUnits, unit => (unit === '+' ? '%20' : encodeUnit(unit)));
}

/** The canonical form of one byte, given as an escape or as a character. */
function encodeUnit(unit: string): string {
  const code = unit.length === 3 ? Number.parseInt(unit.slice(1), 16) : unit.charCodeAt(0);
  if (code > 0xff) return encodeURIComponent(unit.toWellFormed());
  const character = String.fromCharCode(code);
  if (/[\w\-.~]/.test(character)) return character;
  return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
}

function byNameThenValue(a: readonly [string, string], b: readonly [string, string]): number {
  return compare(a[0], b[0]) || compare(a[1], b[1]);
}

/** Compares by code unit, as signatures require, independent of the locale. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The day, region and service of a signing key. */
export interface Scope {
  /** yyyyMMdd */
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** The scope as written in a credential and in the string to sign. */
export function scopeText({ date, region, service }: Scope): string {
  return `${date}/${region}/${service}/${SCOPE_TERMINAL}`;
}

/** The string to sign; it contains the hash of the canonical request in wire format. */
export function stringToSign(timestamp: string, scope: Scope, canonical: string): string {
  const digest = hash('sha256', Buffer.from(canonical, 'latin1'), 'hex');
  return `${ALGORITHM}\n${timestamp}\n${scopeText(scope)}\n${digest}`;
}

/** A time as yyyyMMdd'T'HHmmss'Z'; the first eight characters are the date of the scope. */
export function timestampOf(nowMs: number): string {
  const iso = new Date(nowMs).toISOString();
  return `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}Z`;
}
