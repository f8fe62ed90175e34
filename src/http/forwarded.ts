import { addressOfNode } from './client-address.ts';

/** One step of a request's way, as reported by the proxy that received it. */
export interface Hop {
  /** The address the request came from; undefined if it is hidden, unknown or not an IP address. */
  readonly address: string | undefined;
  /** The scheme of that request, in lower case. */
  readonly scheme: string | undefined;
}

/** Longer lists are not followed to their beginning. */
const MAX_HOPS = 64;

/** The hops of X-Forwarded-For: the nearest is the last. Of longer ones than `MAX_HOPS` the last ones. */
export function xForwardedFor(value: string): readonly Hop[] {
  const hops: Hop[] = [];
  for (let end = value.length; end >= 0 && hops.length < MAX_HOPS; ) {
    const comma = end === 0 ? -1 : value.lastIndexOf(',', end - 1);
    hops.push({ address: addressOfNode(value.slice(comma + 1, end).trim()), scheme: undefined });
    end = comma;
  }
  return hops.reverse();
}

const TOKEN = /[!#$%&'*+.^_`|~\w-]+/y;
const QUOTED = /"((?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*)"/y;
const SPACE = /[ \t]*/y;

/** The hops of Forwarded (RFC 7239 §4); undefined where it is malformed. */
export function forwarded(value: string): readonly Hop[] | undefined {
  const hops: Hop[] = [];
  const reader = new FieldReader(value);
  do {
    const hop = readElement(reader);
    if (!hop) return undefined;
    hops.push(hop);
    reader.skip(SPACE);
  } while (reader.take(','));
  return reader.isAtEnd ? hops.slice(-MAX_HOPS) : undefined;
}

/** Undefined where it is malformed; a parameter may be there once (RFC 7239 §4). */
function readElement(reader: FieldReader): Hop | undefined {
  const parameters = new Map<string, string>();
  do {
    reader.skip(SPACE);
    const name = reader.read(TOKEN)?.toLowerCase();
    if (name === undefined) continue;
    if (parameters.has(name) || !reader.take('=')) return undefined;
    const value = reader.read(TOKEN) ?? reader.read(QUOTED)?.replace(/\\(.)/g, '$1');
    if (value === undefined) return undefined;
    parameters.set(name, value);
  } while (reader.take(';'));
  const node = parameters.get('for');
  const address = node === undefined ? undefined : addressOfNode(node);
  return { address, scheme: parameters.get('proto')?.toLowerCase() };
}

class FieldReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** What `pattern` matches here, or its group; undefined where it does not. */
  read(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) return undefined;
    this.#at = pattern.lastIndex;
    return found[1] ?? found[0];
  }

  skip(pattern: RegExp): void {
    this.read(pattern);
  }

  take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }
}

/** What trusted proxies report about a request. */
export interface ForwardedRequest {
  /** Whether the client's own request was secure; undefined if no proxy reports a scheme. */
  readonly isSecure: boolean | undefined;
  readonly address: string | undefined;
}

/** The header fields in which proxies report whose request they forward; undefined for those that are missing. */
export interface ForwardingFields {
  readonly xForwardedFor: string | undefined;
  readonly xForwardedProto: string | undefined;
  readonly forwarded: string | undefined;
}

/**
 * The client of a request that a trusted proxy has forwarded: from the nearest address backwards, the first one that
 * does not belong to a trusted proxy. Everything beyond it may have been made up by the client. If the list breaks off,
 * or the two fields disagree, the nearest known address is used: a proxy usually sets only one of the fields and
 * forwards the other as the client sent it.
 *
 * @param nearest the address of the trusted proxy
 */
export function clientOfForwarded(
  nearest: string | undefined,
  fields: ForwardingFields,
  isTrusted: (address: string) => boolean,
): ForwardedRequest {
  const ways = [
    fields.xForwardedFor === undefined ? undefined : xForwardedFor(fields.xForwardedFor),
    fields.forwarded === undefined ? undefined : (forwarded(fields.forwarded) ?? []),
  ].filter(way => way !== undefined);
  const ends = ways.map(way => follow(nearest, way, isTrusted));
  const [first = { address: nearest, schemes: [] }, second = first] = ends;
  const schemes = [
    ...ends.flatMap(end => end.schemes),
    ...(fields.xForwardedProto?.split(',').map(scheme => scheme.trim().toLowerCase()) ?? []),
  ];
  return {
    address: first.address === second.address ? first.address : nearest,
    isSecure: schemes.length === 0 ? undefined : schemes.every(scheme => scheme === 'https'),
  };
}

/** Also collects the schemes that trusted proxies report. */
function follow(nearest: string | undefined, way: readonly Hop[], isTrusted: (address: string) => boolean) {
  let address = nearest;
  const schemes: string[] = [];
  for (const hop of way.toReversed()) {
    if (address !== nearest && (address === undefined || !isTrusted(address))) break;
    if (hop.scheme !== undefined) schemes.push(hop.scheme);
    if (hop.address === undefined) break;
    address = hop.address;
  }
  return { address, schemes };
}
