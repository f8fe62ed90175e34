/** Part of the supervisor's composition root: what decides how an object is answered. */
import { AdminError } from '../admin/admin-route.ts';
import type { Explain } from '../admin/objects/object-routes.ts';
import type { BucketConfig, GatewayConfig } from '../config/gateway-config.ts';
import { isKnownBucket } from '../config/other-buckets.ts';
import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';
import { compileGrants, isAllowed } from '../s3/grants.ts';
import { compileKeyPatterns } from '../s3/key-pattern.ts';
import { readingActions } from '../s3/reading-actions.ts';
import type { WorkerPool } from '../server/worker-pool.ts';
import { aliasProblem } from './cache.ts';
import type { RunningConfig } from './running-config.ts';
import type { WorkerControl } from './thread-contracts.ts';

/** Describes what the owning worker holds of an object, and what of the configuration is about it. */
export function explainEverywhere(
  running: RunningConfig,
  pool: Pick<WorkerPool<WorkerControl>, 'callAll'>,
): Explain {
  return async (bucket, key) => {
    const config = running.current;
    if (!isKnownBucket(config, bucket)) return undefined;
    const problem = aliasProblem(config, { bucket, key });
    if (problem !== undefined) throw new AdminError(400, 'KEY_MAY_MEAN_ANOTHER', problem);
    const held = await pool.callAll('describe', { bucket, key });
    const found = held.find(description => description !== undefined) ?? { bucket, key, records: [] };
    return { ...found, ...ruleFor(config, bucket, key), readableBy: readersOf(config, bucket, key) };
  };
}

function bucketConfig({ buckets }: GatewayConfig, name: string): BucketConfig | undefined {
  return Object.hasOwn(buckets, name) ? buckets[name] : buckets[EVERY_OTHER_BUCKET];
}

/** The first rule whose patterns cover the key, if there is one, and the settings that count. */
function ruleFor(config: GatewayConfig, name: string, key: string) {
  const bucket = bucketConfig(config, name);
  const index = bucket?.rules.findIndex(({ keys }) => compileKeyPatterns(keys)(key)) ?? -1;
  const rule = bucket?.rules[index];
  return {
    rule: rule && { number: index + 1, keys: rule.keys },
    cache: rule?.cache ?? bucket?.cache,
  };
}

/** Who may read the current version: `*` for everybody, or the access keys of clients. */
function readersOf(config: GatewayConfig, bucket: string, key: string): readonly string[] {
  const access = { bucket, key, action: 'GetObject' };
  const toAll = bucketConfig(config, bucket)?.anonymous ?? [];
  if (isAllowed(compileGrants(toAll, readingActions), access)) return ['*'];
  const able = config.clients.filter(({ allow }) => isAllowed(compileGrants(allow), access));
  return able.map(({ accessKeyId }) => accessKeyId);
}
