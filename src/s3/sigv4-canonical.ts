import { hash } from 'node:crypto';
import type { AccessPointService } from './access-point.ts';
import type { Pairs } from './error.ts';

/** The algorithm's name, the same under both header prefixes. */
export const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The last part of every credential scope, the same under both header prefixes. */
export const SCOPE_TERMINAL = 'aws4_request';

/** The service that object stores sign for; access points of some kinds have their own. */
export const SERVICE: AccessPointService = 's3';

/** Stands for the payload's hash when the signature does not cover the payload. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

/** SHA-256 of no bytes: the payload hash of a request without a body. */
export const EMPTY_PAYLOAD_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * What is signed, in the form it has on the wire: one character per byte in path, query and header values, as
 * node:http gives and takes them.
 */
export interface CanonicalParts {
  readonly method: string;
  /** As `canonicalUri` gives it, or the raw path of a signer that signs it as it stands. */
  readonly uri: string;
  /** As `canonicalQuery` gives it. */
  readonly query: string;
  /** Lower-case names in the order of SignedHeaders, values as sent. */
  readonly headers: Pairs;
  readonly payloadHash: string;
}

/** The canonical request: method, path, query, headers, names of the signed headers, payload hash. */
export function canonicalRequest({ method, uri, query, headers, payloadHash }: CanonicalParts): string {
  let lines = '';
  for (const [name, value] of headers) lines += `${name}:${canonicalValue(value)}\n`;
  return `${method}\n${uri}\n${query}\n${lines}\n${signedHeaderNames(headers)}\n${payloadHash}`;
}

/** The names of signed headers as SignedHeaders lists them. */
export function signedHeaderNames(headers: Pairs): string {
  return headers.map(([name]) => name).join(';');
}

/** A header's value as signed: no blanks around it, one blank for several inside. */
function canonicalValue(value: string): string {
  const trimmed = value.trim();
  return trimmed.includes('  ') ? trimmed.replace(/ {2,}/g, ' ') : trimmed;
}

const plainPath = /^[\w\-.~/]+$/;
const pathUnits = /%[\da-fA-F]{2}|[^\w\-.~/]/gu;
const queryUnits = /%[\da-fA-F]{2}|[^\w\-.~]/gu;
const plainQueryPart = /^[\w\-.~]*$/;

/**
 * The path as stores sign it: decoded once and encoded again byte by byte, upper-case hex, `/` as it is; dots and
 * double slashes stay (behaviours.md 218 to 225). A `%` that begins no escape is a character like any other.
 */
export function canonicalUri(rawPath: string): string {
  if (plainPath.test(rawPath)) return rawPath;
  return rawPath === ''
    ? '/'
    : rawPath.replace(pathUnits, unit => (unit === '%2f' || unit === '%2F' ? '/' : encodeUnit(unit)));
}

/**
 * The query as it is signed: names and values encoded like the path but for `/`, `+` as the blank it stands for,
 * sorted by name and then by value, a name alone with an empty value.
 *
 * @param rawQuery without the question mark
 * @param without the decoded name of a parameter that the signature cannot cover: its own
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

/** A text as a name or value of a canonical query, its UTF-8 bytes escaped. */
export function encodeForQuery(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, encodeUnit);
}

function encodeQueryPart(raw: string): string {
  if (plainQueryPart.test(raw)) return raw;
  return raw.replace(queryUnits, unit => (unit === '+' ? '%20' : encodeUnit(unit)));
}

/** One byte, given as an escape or as a character, in its canonical form. */
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

/** Orders texts by code unit, as signatures need it; no locale has a say. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The day, region and service that a signing key is good for. */
export interface Scope {
  /** yyyyMMdd */
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** The scope as it stands in a credential and in the string to sign. */
export function scopeText({ date, region, service }: Scope): string {
  return `${date}/${region}/${service}/${SCOPE_TERMINAL}`;
}

/** What the signing key is applied to; the canonical request enters by its hash, over its bytes on the wire. */
export function stringToSign(timestamp: string, scope: Scope, canonical: string): string {
  const digest = hash('sha256', Buffer.from(canonical, 'latin1'), 'hex');
  return `${ALGORITHM}\n${timestamp}\n${scopeText(scope)}\n${digest}`;
}

/** A moment as yyyyMMdd'T'HHmmss'Z'; the first eight characters are the scope's date. */
export function timestampOf(nowMs: number): string {
  const iso = new Date(nowMs).toISOString();
  return `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}Z`;
}
