import type { z } from 'zod';
import type { CachePolicy } from '../gateway/request/cache-policy.ts';
import { choice, duration, flag, map, named, share, size } from './scalars.ts';
import { formatDuration } from './units.ts';
import { webDefaults } from './web-defaults.ts';

const DAY_MS = 86_400_000;
const TIB_BYTES = 2 ** 40;
const MAX_TTL_MS = 3_650 * DAY_MS;

const ttl = () => duration(0, MAX_TTL_MS);

const blockSize = () =>
  size(4 * 2 ** 10, 16 * 2 ** 20).refine(bytes => Number.isInteger(Math.log2(bytes)), {
    error: 'a power of two, such as 256KiB or 1MiB',
  });

export const defaultPolicy = {
  mode: 'cache',
  ttlMs: 60_000,
  maxTtlMs: DAY_MS,
  negativeTtlMs: 5_000,
  heuristicShare: 0,
  staleWhileRevalidateMs: 0,
  staleIfErrorMs: 0,
  maxStaleMs: 0,
  honourCacheControl: true,
  clientDirectives: 'ignore',
  targetedCacheControl: 'pass',
  showKey: false,
  blockSizeBytes: 2 ** 20,
  // The largest object that docs/semantics.md allows.
  maxObjectSizeBytes: 5 * TIB_BYTES,
} as const satisfies CachePolicy;

/**
 * Statuses of answers that may be kept. 400, 403, 406 and 422 of web origins are where they are named. Others tell of credentials,
 * conditions, a part, a connection or a rate, which the next request has otherwise.
 */
const storedStatus = /^(?:200|203|204|30[0-3]|30[78]|400|40[3-6]|410|414|422|451|50[0-4])$/;
const STATUS_TEXT =
  'one of 200, 203, 204, 300 to 303, 307, 308, 400, 403 to 406, 410, 414, 422, 451 and 500 to 504: others are about one request alone';
const mediaType = /^[\w!#$&^.+-]+\/(?:\*|[\w!#$&^.+-]+)$/;

const namedTtl = (otherwise: string) => ttl().meta({ otherwise });

/** What holds at web origins where the key is left out, in words. */
const atWebOrigin = (key: keyof typeof webDefaults) => `\`${webDefaults[key]}\``;

/** `overlay` fills in what is left out. */
const policyKeys = {
  mode: choice(['cache', 'revalidate', 'bypass']).meta({ fallback: defaultPolicy.mode }),
  ttl: ttl().meta({ fallback: defaultPolicy.ttlMs, atWebOrigin: atWebOrigin('ttl') }),
  maxTtl: ttl().meta({ fallback: defaultPolicy.maxTtlMs }),
  negativeTtl: ttl().meta({ fallback: defaultPolicy.negativeTtlMs }),
  ttlByStatus: named(storedStatus, STATUS_TEXT, namedTtl('ttl, or negativeTtl')),
  ttlByType: named(mediaType, 'a media type such as text/html or image/*', namedTtl('as by status')),
  heuristicShare: share().meta({
    fallback: defaultPolicy.heuristicShare,
    atWebOrigin: `${atWebOrigin('heuristicShare')}, or \`0\` where \`ttl\` is written`,
  }),
  staleWhileRevalidate: ttl().meta({ fallback: defaultPolicy.staleWhileRevalidateMs }),
  staleIfError: ttl().meta({ fallback: defaultPolicy.staleIfErrorMs }),
  maxStale: ttl().meta({ fallback: defaultPolicy.maxStaleMs, atWebOrigin: atWebOrigin('maxStale') }),
  honourCacheControl: flag().meta({ fallback: defaultPolicy.honourCacheControl }),
  clientDirectives: choice(['ignore', 'honour']).meta({
    fallback: defaultPolicy.clientDirectives,
    atWebOrigin: atWebOrigin('clientDirectives'),
  }),
  targetedCacheControl: choice(['pass', 'strip']).meta({ fallback: defaultPolicy.targetedCacheControl }),
  showKey: flag().meta({ fallback: defaultPolicy.showKey }),
  blockSize: blockSize().meta({ fallback: defaultPolicy.blockSizeBytes }),
  maxObjectSize: size(1, 1024 * TIB_BYTES).meta({ fallback: defaultPolicy.maxObjectSizeBytes }),
};

export const partialPolicy = map(policyKeys).partial();

/** Overrides `base` with `given`, so that a rule only needs to list what differs from its bucket. */
export function overlay(base: CachePolicy, given: z.output<typeof partialPolicy>): CachePolicy {
  const namedTtls = [...ttlsOfTypes(base, given.ttlByType), ...ttlsOfStatuses(base, given.ttlByStatus)];
  return {
    ...(namedTtls.length > 0 && { namedTtls }),
    mode: given.mode ?? base.mode,
    ttlMs: given.ttl ?? base.ttlMs,
    maxTtlMs: given.maxTtl ?? base.maxTtlMs,
    negativeTtlMs: given.negativeTtl ?? base.negativeTtlMs,
    heuristicShare: given.heuristicShare ?? base.heuristicShare,
    staleWhileRevalidateMs: given.staleWhileRevalidate ?? base.staleWhileRevalidateMs,
    staleIfErrorMs: given.staleIfError ?? base.staleIfErrorMs,
    maxStaleMs: given.maxStale ?? base.maxStaleMs,
    honourCacheControl: given.honourCacheControl ?? base.honourCacheControl,
    clientDirectives: given.clientDirectives ?? base.clientDirectives,
    targetedCacheControl: given.targetedCacheControl ?? base.targetedCacheControl,
    showKey: given.showKey ?? base.showKey,
    blockSizeBytes: given.blockSize ?? base.blockSizeBytes,
    maxObjectSizeBytes: given.maxObjectSize ?? base.maxObjectSizeBytes,
  };
}

/** A type by its name counts before its kind. */
function ttlsOfTypes({ namedTtls = [] }: CachePolicy, given: Readonly<Record<string, number>> = {}) {
  const types = new Map(
    namedTtls.flatMap(named => ('type' in named ? [[named.type, named.ttlMs] as const] : [])),
  );
  for (const [type, ttlMs] of Object.entries(given)) types.set(type.toLowerCase(), ttlMs);
  const named = Array.from(types, ([type, ttlMs]) => ({ type, ttlMs }));
  const isKind = ({ type }: { readonly type: string }) => type.endsWith('/*');
  return [...named.filter(entry => !isKind(entry)), ...named.filter(isKind)];
}

function ttlsOfStatuses({ namedTtls = [] }: CachePolicy, given: Readonly<Record<string, number>> = {}) {
  const statuses = new Map(
    namedTtls.flatMap(named => ('status' in named ? [[named.status, named.ttlMs] as const] : [])),
  );
  for (const [status, ttlMs] of Object.entries(given)) statuses.set(Number(status), ttlMs);
  return Array.from(statuses, ([status, ttlMs]) => ({ status, ttlMs }));
}

/** Paths of the times to live that are longer than `maxTtl`. */
export function* exceedingTtls({
  ttlMs,
  maxTtlMs,
  namedTtls = [],
}: CachePolicy): Generator<readonly string[]> {
  if (ttlMs > maxTtlMs) yield ['ttl'];
  for (const entry of namedTtls)
    if (entry.ttlMs > maxTtlMs)
      yield 'status' in entry ? ['ttlByStatus', String(entry.status)] : ['ttlByType', entry.type];
}

/** @param isDefault whether nobody has named that maximum */
export function atMostTtl({ maxTtlMs }: CachePolicy, isDefault: boolean): string {
  return `at most maxTtl (${formatDuration(maxTtlMs)}${isDefault ? ', the default' : ''})`;
}
