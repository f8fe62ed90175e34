import type { HeaderField } from '../../s3/dialect.ts';
import type { Pairs } from '../../s3/error.ts';

const ofTheConnection = new Set(['connection', 'date', 'keep-alive', 'server', 'transfer-encoding']);

/** Whether `field` belongs to the connection or names the reply: the gateway's answer has its own (RFC 9110 §7.6.1). */
export function isOfTheReply({ name, store }: HeaderField): boolean {
  return store ? name === 'request-id' || name === 'id-2' : ofTheConnection.has(name);
}

/** Names and values alternating, with those of `overrides` in place of what was there. */
export function overridden(raw: readonly string[], overrides: Pairs): string[] {
  if (overrides.length === 0) return [...raw];
  const names = new Set(overrides.map(([name]) => name.toLowerCase()));
  const kept = raw.filter((_, index) => !names.has((raw[index - (index % 2)] ?? '').toLowerCase()));
  return [...kept, ...overrides.flat()];
}
