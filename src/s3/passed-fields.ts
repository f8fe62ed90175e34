import { hopByHopFields } from '../http/hop-by-hop.ts';
import { hostFields } from '../http/host-fields.ts';
import type { HeaderField } from './dialect.ts';
import type { Pairs } from './error.ts';

/** X-Cache describes the cache that answers. */
const ofTheServer = new Set([...hopByHopFields, ...hostFields, 'date', 'x-cache']);

/** Whether `field` describes the store's connection, server or response; the gateway's response has its own. */
export function isPerResponseField({ name, store }: HeaderField): boolean {
  return store ? name === 'request-id' || name === 'id-2' : ofTheServer.has(name);
}

/** Whether `field` belongs to CORS, including the Vary that comes with it (docs/semantics.md 198). */
export function isCrossOrigin({ name, store }: HeaderField): boolean {
  return !store && (name === 'vary' || name.startsWith('access-control-'));
}

export function isLength({ name, store }: HeaderField): boolean {
  return !store && name === 'content-length';
}

/** `raw` (names and values alternating) with `overrides`, which come first, in place of fields of the same name. */
export function overridden(raw: readonly string[], overrides: Pairs): string[] {
  if (overrides.length === 0) return [...raw];
  const names = new Set(overrides.map(([name]) => name.toLowerCase()));
  const kept = raw.filter((_, index) => !names.has((raw[index - (index % 2)] ?? '').toLowerCase()));
  return [...overrides.flat(), ...kept];
}
