import type { GatewayConfig } from './gateway-config.ts';

const SMALLEST_PAGE_BYTES = 2 ** 20;

/** The largest block size of any bucket or rule, and 1 MiB at least: the unit in which the cache's memory is divided. */
export function largestBlockBytes(buckets: GatewayConfig['buckets']): number {
  return Math.max(SMALLEST_PAGE_BYTES, ...blockSizesOf(buckets));
}

/** The smallest block size of any bucket or rule; Infinity where there is no bucket. */
export function smallestBlockBytes(buckets: GatewayConfig['buckets']): number {
  return Math.min(...blockSizesOf(buckets));
}

function blockSizesOf(buckets: GatewayConfig['buckets']): number[] {
  const policies = Object.values(buckets).flatMap(({ cache, rules }) => [
    cache,
    ...rules.flatMap(rule => rule.cache ?? []),
  ]);
  return policies.map(({ blockSizeBytes }) => blockSizeBytes);
}
