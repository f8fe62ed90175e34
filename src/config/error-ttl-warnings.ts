import { isOfServer } from '../http/whose-error.ts';
import type { ConfigWarning } from './config-warning.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { ownStatuses } from './named-statuses.ts';
import { formatDuration } from './units.ts';

/** Warns of errors of web origins that are to be kept for longer than `negativeTtl`, which no error of that kind is. */
export function* errorTtlWarnings({
  backends,
  buckets,
}: Pick<GatewayConfig, 'backends' | 'buckets'>): Generator<ConfigWarning> {
  for (const [name, bucket] of Object.entries(buckets)) {
    if (backends[bucket.backend]?.type !== 'http') continue;
    for (const { path, status, ttlMs, policy } of ownStatuses(bucket)) {
      if (!isOfServer(status) || ttlMs <= policy.negativeTtlMs) continue;
      const limit = formatDuration(policy.negativeTtlMs);
      yield {
        path: ['buckets', name, ...path],
        consequence: `a web origin's ${status} is kept for negativeTtl at most, which is ${limit} here: it may be for what one request has sent, or be over soon`,
      };
    }
  }
}
