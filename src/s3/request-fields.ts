import { FIELD_NAME_LIMIT } from '../transport/served-request.ts';
import type { HeaderPrefix } from './dialect.ts';
import { s3Error } from './error.ts';

/** HTTP fields that the gateway interprets. */
type KnownField =
  | 'host'
  | 'range'
  | 'ifRange'
  | 'ifMatch'
  | 'ifNoneMatch'
  | 'ifModifiedSince'
  | 'ifUnmodifiedSince'
  | 'origin'
  | 'cacheControl'
  | 'pragma'
  | 'contentType'
  | 'acceptEncoding'
  | 'authorization'
  | 'traceparent'
  | 'tracestate';

type FieldMeaning =
  | { readonly kind: 'known'; readonly field: KnownField; readonly isCondition?: boolean }
  | { readonly kind: 'store'; readonly prefix: HeaderPrefix; readonly name: string }
  /** Announces a body, or what a client expects before it sends one. */
  | { readonly kind: 'body' }
  | { readonly kind: 'other' };

/** The meaning of field names, in their usual spelling. */
const meanings: Readonly<Record<string, FieldMeaning>> = {
  Host: { kind: 'known', field: 'host' },
  Range: { kind: 'known', field: 'range' },
  'If-Range': { kind: 'known', field: 'ifRange' },
  'If-Match': { kind: 'known', field: 'ifMatch', isCondition: true },
  'If-None-Match': { kind: 'known', field: 'ifNoneMatch', isCondition: true },
  'If-Modified-Since': { kind: 'known', field: 'ifModifiedSince', isCondition: true },
  'If-Unmodified-Since': { kind: 'known', field: 'ifUnmodifiedSince', isCondition: true },
  Origin: { kind: 'known', field: 'origin' },
  'Cache-Control': { kind: 'known', field: 'cacheControl' },
  Pragma: { kind: 'known', field: 'pragma' },
  'Content-Type': { kind: 'known', field: 'contentType' },
  'Accept-Encoding': { kind: 'known', field: 'acceptEncoding' },
  Authorization: { kind: 'known', field: 'authorization' },
  traceparent: { kind: 'known', field: 'traceparent' },
  tracestate: { kind: 'known', field: 'tracestate' },
  'Content-Length': { kind: 'body' },
  'Transfer-Encoding': { kind: 'body' },
  Expect: { kind: 'body' },
};

interface NamedField {
  readonly usual: string;
  readonly lowerCase: string;
  readonly meaning: FieldMeaning;
}

/** The same, indexed by length and first letter: these alone rule out most other fields. */
const byShape = new Map<number, readonly NamedField[]>();
for (const [usual, meaning] of Object.entries(meanings)) {
  const field = { usual, lowerCase: usual.toLowerCase(), meaning };
  byShape.set(shapeOf(usual), [...(byShape.get(shapeOf(usual)) ?? []), field]);
}

const other: FieldMeaning = { kind: 'other' };

const nameTooLong = { message: 'The name of a header field is too long.' };

/** The fields of one request that affect its answer, found in one pass over the raw headers. */
export class RequestFields {
  host: string | undefined;
  range: string | undefined;
  ifRange: string | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  ifModifiedSince: string | undefined;
  ifUnmodifiedSince: string | undefined;
  origin: string | undefined;
  cacheControl: string | undefined;
  pragma: string | undefined;
  contentType: string | undefined;
  acceptEncoding: string | undefined;
  authorization: string | undefined;
  /** As they came: whether they are valid is for `traceOf` to say. */
  traceparent: string | undefined;
  tracestate: string | undefined;
  /** Store fields by name without prefix; undefined if there are none. */
  store: Map<string, string> | undefined;
  /** The dialect of the store fields; undefined if there are none. */
  prefix: HeaderPrefix | undefined;
  /** Whether the request has a body (RFC 9112 §6), or an expectation about one (RFC 9110 §10.1.1). */
  hasBody = false;
  /** Whether there are preconditions (RFC 9110 §13.1). */
  isConditional = false;

  /**
   * @param raw names and values alternating, as received
   * @throws S3Error InvalidRequest for a name that is too long: further on, names are keys of maps
   */
  constructor(raw: readonly string[]) {
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = raw[index] ?? '';
      if (name.length > FIELD_NAME_LIMIT) throw s3Error('InvalidRequest', nameTooLong);
      const meaning = meaningOf(name);
      if (meaning.kind === 'other') continue;
      const value = raw[index + 1] ?? '';
      if (meaning.kind === 'body') this.hasBody = true;
      else if (meaning.kind === 'known') {
        const before = this[meaning.field];
        this[meaning.field] = before === undefined ? value : combine(before, value);
        if (meaning.isCondition) this.isConditional = true;
      } else this.#addStore(meaning.prefix, meaning.name, value);
    }
  }

  #addStore(prefix: HeaderPrefix, name: string, value: string): void {
    this.prefix ??= prefix;
    this.store ??= new Map();
    const before = this.store.get(name);
    this.store.set(name, before === undefined ? value : combine(before, value));
  }
}

/**
 * RFC 9110 §5.3: repeated lines are combined into one list. (Two Range lines become a list, which is not a valid range:
 * docs/semantics.md 35.)
 */
function combine(before: string, value: string): string {
  return `${before}, ${value}`;
}

/** Case-insensitive index key of a name; differs for most other names. */
function shapeOf(name: string): number {
  return name.length * 256 + (name.charCodeAt(0) | 0x20);
}

function meaningOf(rawName: string): FieldMeaning {
  for (const { usual, lowerCase, meaning } of byShape.get(shapeOf(rawName)) ?? [])
    if (rawName === usual || rawName.toLowerCase() === lowerCase) return meaning;
  // the first check rules out most other fields
  return (rawName.charCodeAt(0) | 0x20) === letterX ? storeMeaningOf(rawName.toLowerCase()) : other;
}

const letterX = 'x'.charCodeAt(0);

function storeMeaningOf(name: string): FieldMeaning {
  for (const prefix of ['x-amz-', 'x-store-'] as const) {
    if (name.startsWith(prefix)) return { kind: 'store', prefix, name: name.slice(prefix.length) };
  }
  return other;
}
