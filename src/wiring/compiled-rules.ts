/** Part of the composition root: what the rules of a bucket say, as requests ask for it. */
import type { BackendConfig, BucketConfig, GatewayConfig } from '../config/gateway-config.ts';
import type { Bucket } from '../gateway/request/bucket.ts';
import { compileRules } from '../gateway/request/key-rules.ts';
import { rulePaths } from '../gateway/web/rule-path.ts';

/** Whatever names a backend. */
export interface AtBackend {
  readonly backend: string;
}

export function backendOf(
  { backend: name }: AtBackend,
  { backends }: Pick<GatewayConfig, 'backends'>,
): BackendConfig {
  const backend = backends[name];
  if (!backend) throw new RangeError(`no backend ${name}`);
  return backend;
}

/** What `bucket` says of each key. */
export function compiledRules(
  bucket: BucketConfig,
  config: Pick<GatewayConfig, 'backends'>,
): Bucket['rulesFor'] {
  return backendOf(bucket, config).type === 'http' ? compileRules(bucket, rulePaths) : compileRules(bucket);
}
