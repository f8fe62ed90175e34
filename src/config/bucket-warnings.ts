import type { ConfigWarning } from './config-warning.ts';
import type { GatewayConfig } from './gateway-config.ts';

/** Warns of a configuration without buckets, as an empty or truncated file is. */
export function* bucketWarnings({ buckets }: Pick<GatewayConfig, 'buckets'>): Generator<ConfigWarning> {
  if (Object.keys(buckets).length > 0) return;
  yield {
    path: ['buckets'],
    consequence: 'no bucket is configured, so every request for a bucket is answered with 404',
  };
}
