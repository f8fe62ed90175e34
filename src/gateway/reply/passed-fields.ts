import { hopByHopFields } from '../../http/hop-by-hop.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import type { Pairs } from '../../s3/error.ts';

/** Alt-Svc would send clients around the gateway (RFC 7838 §2); X-Cache is about the cache that answers. */
const ofTheServer = new Set([...hopByHopFields, 'alt-svc', 'date', 'server', 'x-cache']);

/** Whether `field` is about the connection or the server, or names the reply: the gateway's answer has its own. */
export function isOfTheReply({ name, store }: HeaderField): boolean {
  return store ? name === 'request-id' || name === 'id-2' : ofTheServer.has(name);
}

/**
 * Whether `field` tells a browser what a page of another origin may see, and on what that depends (docs/semantics.md
 * 198).
 */
export function isCrossOrigin({ name, store }: HeaderField): boolean {
  return !store && (name === 'vary' || name.startsWith('access-control-'));
}

export function isLength({ name, store }: HeaderField): boolean {
  return !store && name === 'content-length';
}

/**
 * `fields` with the length at the end: Node takes what comes behind it for text and changes the bytes of a
 * Content-Disposition that is not ASCII (docs/semantics.md 190).
 */
export function lengthLast(fields: readonly HeaderField[]): HeaderField[] {
  return [...fields.filter(field => !isLength(field)), ...fields.filter(isLength)];
}

/** Names and values alternating, with those of `overrides` in place of what was there and before the length. */
export function overridden(raw: readonly string[], overrides: Pairs): string[] {
  if (overrides.length === 0) return [...raw];
  const names = new Set(overrides.map(([name]) => name.toLowerCase()));
  const kept = raw.filter((_, index) => !names.has((raw[index - (index % 2)] ?? '').toLowerCase()));
  return [...overrides.flat(), ...kept];
}
