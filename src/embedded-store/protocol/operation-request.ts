import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type DialectPrefix, dialectOf, withoutPrefix } from './dialect.ts';
import { parseRequestLine, type Target } from './target.ts';

/** The ids of a response: the same in its headers and its error body (docs/semantics.md 203). */
export interface ReplyIds {
  readonly requestId: string;
  readonly hostId: string;
}

export function newReplyIds(): ReplyIds {
  return {
    requestId: randomBytes(8).toString('hex').toUpperCase(),
    hostId: randomBytes(42).toString('base64'),
  };
}

/** A request as operations use it: names independent of the dialect, everything decoded once. */
export class OperationRequest {
  readonly method: string;
  readonly target: Target;
  readonly query: ReadonlyMap<string, string>;
  readonly message: IncomingMessage;
  /** The prefix of the request's dialect; the response uses the same. */
  readonly prefix: DialectPrefix;
  readonly #headers: ReadonlyMap<string, readonly string[]>;
  readonly #prefixed: ReadonlyMap<string, string>;

  /** @throws the errors of the request line */
  constructor(message: IncomingMessage, prefix: DialectPrefix, domain?: string) {
    this.message = message;
    this.prefix = prefix;
    this.method = message.method ?? 'GET';
    const { target, query } = parseRequestLine(message.url ?? '/', message.headers.host ?? '', domain);
    this.target = target;
    this.query = query;
    this.#headers = collectHeaders(message.rawHeaders);
    this.#prefixed = collectPrefixed(query, this.#headers);
  }

  /** A header's value; repeated lines are joined with commas (docs/semantics.md 192). */
  header(name: string): string | undefined {
    return this.#headers.get(name)?.join(',');
  }

  /** A header's values, one per line. */
  headerValues(name: string): readonly string[] {
    return this.#headers.get(name) ?? [];
  }

  /** A store header by its name without prefix, also if it is a parameter of a presigned URL. */
  prefixed(name: string): string | undefined {
    return this.#prefixed.get(name);
  }

  /** All store headers, by their names without prefix. */
  prefixedHeaders(): Iterable<readonly [string, string]> {
    return this.#prefixed;
  }
}

/** The dialect of a message; can be determined even if the rest of it is malformed. */
export function messageDialect(message: IncomingMessage, own: DialectPrefix): DialectPrefix {
  const names = message.rawHeaders.filter((_text, index) => index % 2 === 0);
  const query = (message.url ?? '').split('?')[1] ?? '';
  return dialectOf([...names, ...query.split('&')], own);
}

function collectHeaders(rawHeaders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    const values = headers.get(name);
    if (values) values.push(rawHeaders[i + 1] ?? '');
    else headers.set(name, [rawHeaders[i + 1] ?? '']);
  }
  return headers;
}

function collectPrefixed(
  query: ReadonlyMap<string, string>,
  headers: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, string> {
  const prefixed = new Map<string, string>();
  for (const [name, value] of query) {
    const bare = withoutPrefix(name.toLowerCase());
    if (bare !== undefined) prefixed.set(bare, value);
  }
  for (const [name, values] of headers) {
    const bare = withoutPrefix(name);
    if (bare !== undefined) prefixed.set(bare, values.join(','));
  }
  return prefixed;
}
