import type { HeaderPrefix } from '../s3/dialect.ts';

/** HTTP fields that the gateway itself understands. */
type KnownField =
  | 'host'
  | 'range'
  | 'ifRange'
  | 'ifMatch'
  | 'ifNoneMatch'
  | 'ifModifiedSince'
  | 'ifUnmodifiedSince'
  | 'origin'
  | 'contentType'
  | 'authorization';

const knownFields = new Map<string, KnownField>([
  ['host', 'host'],
  ['range', 'range'],
  ['if-range', 'ifRange'],
  ['if-match', 'ifMatch'],
  ['if-none-match', 'ifNoneMatch'],
  ['if-modified-since', 'ifModifiedSince'],
  ['if-unmodified-since', 'ifUnmodifiedSince'],
  ['origin', 'origin'],
  ['content-type', 'contentType'],
  ['authorization', 'authorization'],
]);

type FieldMeaning =
  | { readonly kind: 'known'; readonly field: KnownField }
  | { readonly kind: 'store'; readonly prefix: HeaderPrefix; readonly name: string }
  | { readonly kind: 'body' }
  | { readonly kind: 'other' };

const meanings = new Map<string, FieldMeaning>();
const meaningsLimit = 1_000;

/** The fields of one request that decide its answer, found in one pass over the header lines. */
export class RequestFields {
  host: string | undefined;
  range: string | undefined;
  ifRange: string | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  ifModifiedSince: string | undefined;
  ifUnmodifiedSince: string | undefined;
  origin: string | undefined;
  contentType: string | undefined;
  authorization: string | undefined;
  /** Fields of the store by name without prefix; undefined when there are none. */
  store: Map<string, string> | undefined;
  /** The dialect that the store fields speak; undefined when there are none. */
  prefix: HeaderPrefix | undefined;
  /** Whether the request has a body (RFC 9112 §6). */
  hasBody = false;

  /** @param raw names and values alternating, as they were received. */
  constructor(raw: readonly string[]) {
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const meaning = meaningOf(raw[index] ?? '');
      if (meaning.kind === 'other') continue;
      const value = raw[index + 1] ?? '';
      if (meaning.kind === 'body') this.hasBody = true;
      else if (meaning.kind === 'known') this[meaning.field] = combine(this[meaning.field], value);
      else this.#addStore(meaning.prefix, meaning.name, value);
    }
  }

  get isConditional(): boolean {
    return (
      this.ifMatch !== undefined ||
      this.ifNoneMatch !== undefined ||
      this.ifModifiedSince !== undefined ||
      this.ifUnmodifiedSince !== undefined
    );
  }

  #addStore(prefix: HeaderPrefix, name: string, value: string): void {
    this.prefix ??= prefix;
    this.store ??= new Map();
    this.store.set(name, combine(this.store.get(name), value));
  }
}

/** RFC 9110 §5.3: lines of one name are one list. (Two Range lines make a list, which a range is not: behaviours.md 35.) */
function combine(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}

/** What a name means does not change, so each spelling is looked at once. */
function meaningOf(rawName: string): FieldMeaning {
  const known = meanings.get(rawName);
  if (known) return known;
  const meaning = classify(rawName.toLowerCase());
  if (meanings.size < meaningsLimit) meanings.set(rawName, meaning);
  return meaning;
}

function classify(name: string): FieldMeaning {
  const field = knownFields.get(name);
  if (field) return { kind: 'known', field };
  if (name === 'content-length' || name === 'transfer-encoding') return { kind: 'body' };
  for (const prefix of ['x-amz-', 'x-store-'] as const) {
    if (name.startsWith(prefix)) return { kind: 'store', prefix, name: name.slice(prefix.length) };
  }
  return { kind: 'other' };
}
