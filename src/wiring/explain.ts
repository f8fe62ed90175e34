/** Part of the supervisor's composition root: what decides how an object is answered. */
import { AdminError } from '../admin/admin-route.ts';
import type { Explain } from '../admin/objects/object-routes.ts';
import { bucketPlaces } from '../config/bucket-places.ts';
import type { BucketConfig, GatewayConfig } from '../config/gateway-config.ts';
import { isKnownBucket } from '../config/other-buckets.ts';
import { writtenPolicy } from '../config/written-policy.ts';
import { decidingRules } from '../gateway/request/key-rules.ts';
import { rulePaths } from '../gateway/web/rule-path.ts';
import { documentPath, partsOfKey } from '../gateway/web/web-target.ts';
import { EVERY_OTHER_BUCKET } from '../s3/bucket-name.ts';
import { compileGrants, isAllowed } from '../s3/grants.ts';
import { readingActions } from '../s3/reading-actions.ts';
import type { WorkerPool } from '../server/worker-pool.ts';
import { aliasProblem, refuseNoKey } from './cache.ts';
import { compiledRules } from './compiled-rules.ts';
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
    refuseNoKey(config, { bucket, key });
    const problem = aliasProblem(config, { bucket, key });
    if (problem !== undefined) throw new AdminError(400, 'KEY_MAY_MEAN_ANOTHER', problem);
    const held = await pool.callAll('describe', { bucket, key });
    const found = held.find(description => description !== undefined) ?? { records: [] };
    return {
      bucket,
      key,
      ...placeOf(config, bucket),
      ...found,
      ...rulesFor(config, bucket, key),
      readableBy: readersOf(config, bucket, key),
    };
  };
}

function bucketConfig({ buckets }: GatewayConfig, name: string): BucketConfig | undefined {
  return Object.hasOwn(buckets, name) ? buckets[name] : buckets[EVERY_OTHER_BUCKET];
}

/** Where the bucket is, whether or not anything is held of it. */
function placeOf(config: GatewayConfig, name: string) {
  const bucket = bucketConfig(config, name);
  if (!bucket) return undefined;
  const [own] = bucketPlaces(name, bucket, config.backends);
  return { backend: own.backend, bucketAtBackend: own.bucket };
}

/** The rules that decide something of the key, and the settings that count. */
function rulesFor(config: GatewayConfig, name: string, key: string) {
  const bucket = bucketConfig(config, name);
  if (!bucket) return undefined;
  const isWeb = config.backends[bucket.backend]?.type === 'http';
  const named = isWeb ? documentPath(partsOfKey(key).path, bucket.website) : key;
  const rules = decidingRules(bucket, isWeb ? rulePaths(named) : [named]);
  const { cache, languages } = compiledRules(bucket, config)(named);
  return {
    rules: rules.map(shownRule),
    cache: writtenPolicy(cache),
    ...(isWeb && { languages }),
  };
}

/** What is sent to stores may be secret: the names of the fields say enough. */
function shownRule({ sections, ...rule }: ReturnType<typeof decidingRules>[number]) {
  const { cache, requestHeaders } = sections;
  const names = requestHeaders && { set: Object.keys(requestHeaders.set), remove: requestHeaders.remove };
  return {
    ...rule,
    sections: {
      ...sections,
      ...(cache && { cache: writtenPolicy(cache) }),
      ...(names && { requestHeaders: names }),
    },
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
