import type { BackendConfig, GatewayConfig } from './gateway-config.ts';

type Bucket = GatewayConfig['buckets'][string];

/** What the parts of a process were started with. */
interface FixedParts {
  /** The largest block that the memory of the cache was divided for. */
  readonly blockLimitBytes: number;
  /** The embedded stores that run, by the names of their backends. */
  readonly embedded: ReadonlyMap<string, BackendConfig>;
}

/**
 * `next` with the settings of `running` where a running process cannot change them: addresses, threads, memory and
 * directories. What `configDifferences` finds between the result and `next` needs a restart.
 */
export function keepFixed(
  running: GatewayConfig,
  next: GatewayConfig,
  { blockLimitBytes, embedded }: FixedParts,
): GatewayConfig {
  const { host, port } = running.admin;
  const { tracing: _, ...others } = next;
  return {
    ...others,
    ...(running.tracing && { tracing: running.tracing }),
    listen: running.listen.map((address, index) => withSettingsOf(address, next.listen[index])),
    admin: { ...next.admin, host, port, token: tokenOf(running, next) },
    workers: running.workers,
    state: running.state,
    cache: running.cache,
    alerts: withCallbacksOf(running, next),
    limits: { ...next.limits, headersBytes: running.limits.headersBytes },
    backends: mapValues(next.backends, (backend, name) => keepDirectory(embedded.get(name), backend)),
    buckets: mapValues(next.buckets, bucket => limitBlocks(bucket, blockLimitBytes)),
  };
}

/** Pages and cards tell since the start whether a token is needed, and a port that may be open needs one. */
function tokenOf({ admin: { token } }: GatewayConfig, next: GatewayConfig): string | undefined {
  return token === undefined ? undefined : (next.admin.token ?? token);
}

type Address = GatewayConfig['listen'][number];

/** What a handshake asks for and offers belongs to the address; files and trusted proxies can be others. */
function withSettingsOf(running: Address, next: Address | undefined): Address {
  if (next?.kind !== running.kind) return running;
  const { trustedProxies: _, proxyProtocol: __, ...place } = running;
  const { trustedProxies, proxyProtocol } = next;
  const proxies = { ...(trustedProxies && { trustedProxies }), ...(proxyProtocol && { proxyProtocol }) };
  if (place.kind === 'unix')
    return next.kind === 'unix' && next.path === place.path ? { ...place, ...proxies } : running;
  if (next.kind === 'unix' || next.host !== place.host || next.port !== place.port) return running;
  const { tls } = next;
  const isSameHandshake =
    next.tls?.http2 === place.tls?.http2 &&
    (next.tls?.clientCa === undefined) === (place.tls?.clientCa === undefined);
  return place.tls && tls && isSameHandshake ? { ...place, ...proxies, tls } : { ...place, ...proxies };
}

/** The buttons of cards that were posted lead to the address and keys of the start. */
function withCallbacksOf({ alerts: { callbacks } }: GatewayConfig, { alerts }: GatewayConfig) {
  const { callbacks: _, ...others } = alerts;
  return { ...others, ...(callbacks && { callbacks }) };
}

/** An embedded store keeps its directory and its dialect for as long as its thread runs. */
function keepDirectory(running: BackendConfig | undefined, next: BackendConfig): BackendConfig {
  return running && next.type === 'embedded' ? running : next;
}

function limitBlocks(bucket: Bucket, limitBytes: number): Bucket {
  const limited = <Policy extends Bucket['cache']>(policy: Policy): Policy => ({
    ...policy,
    blockSizeBytes: Math.min(policy.blockSizeBytes, limitBytes),
  });
  return {
    ...bucket,
    cache: limited(bucket.cache),
    rules: bucket.rules.map(rule => (rule.cache ? { ...rule, cache: limited(rule.cache) } : rule)),
  };
}

function mapValues<Value>(
  map: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value, name)]));
}
