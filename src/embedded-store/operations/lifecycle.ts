import type { LifecycleRule } from '../disk/buckets.ts';
import type { NewObject } from '../disk/versions.ts';
import { formatDate } from '../protocol/dates.ts';

const DAY_MS = 86_400_000;

/** The `expiration` header of an object, from the rule that expires it first (docs/semantics.md 177). */
export function expirationHeader(rules: readonly LifecycleRule[], object: NewObject): string | undefined {
  const [soonest] = rules
    .filter(rule => concerns(rule, object))
    .map(rule => ({ id: rule.id, atMs: expiryMs(rule, object) }))
    .sort((a, b) => a.atMs - b.atMs);
  return soonest && `expiry-date="${formatDate(soonest.atMs)}", rule-id="${encodeURIComponent(soonest.id)}"`;
}

/** Adds days to a time and rounds up to midnight UTC (docs/semantics.md 171). */
export function midnightAfterDays(fromMs: number, days: number): number {
  return (Math.ceil(fromMs / DAY_MS) + days) * DAY_MS;
}

function concerns({ prefix, tags }: LifecycleRule, object: NewObject): boolean {
  const carries = ([name, value]: readonly [string, string]) =>
    object.attributes.tags.some(tag => tag[0] === name && tag[1] === value);
  return object.key.startsWith(prefix) && tags.every(carries);
}

function expiryMs({ expiry }: LifecycleRule, object: NewObject): number {
  return 'days' in expiry ? midnightAfterDays(object.lastModifiedMs, expiry.days) : expiry.atMs;
}
