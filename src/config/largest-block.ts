import type { GatewayConfig } from './gateway-config.ts';

const SMALLEST_PAGE_BYTES = 2 ** 20;

/** The largest block size of any bucket or rule, and 1 MiB at least: the unit in which the cache's memory is divided. */
export function largestBlockBytes(buckets: GatewayConfig['buckets']): number {
  const policies = Object.values(buckets).flatMap(({ cache, rules }) => [
    cache,
    ...rules.flatMap(rule => rule.cache ?? []),
  ]);
  return Math.max(SMALLEST_PAGE_BYTES, ...policies.map(({ blockSizeBytes }) => blockSizeBytes));
}
