/**
 * What is not said of freshness is not assumed of web origins, but guessed from how long content has not changed (RFC 9111
 * §4.2.2). What an answer allows of staleness counts for a day at most (RFC 5861), and clients are heard (RFC 9111 §5.2.1).
 * These are the values that hold in buckets at backends of `type: http` which name no others.
 */
export const webDefaults = { ttl: '0s', heuristicShare: 0.1, maxStale: '1d', clientDirectives: 'honour' };

/** `file` with the defaults of buckets at web origins filled in. What is wrong with it is for the schema to find. */
export function withWebDefaults(file: unknown): unknown {
  const { backends, buckets } = asMap(file);
  if (!isMap(buckets)) return file;
  const isWeb = (bucket: unknown) => asMap(asMap(backends)[String(asMap(bucket).backend)]).type === 'http';
  const filled = Object.entries(buckets).map(([name, bucket]) => [
    name,
    isWeb(bucket) ? withPolicy(asMap(bucket)) : bucket,
  ]);
  return { ...asMap(file), buckets: Object.fromEntries(filled) };
}

/** A guess that nobody has asked for does not count before a `ttl` that somebody has, see `lifetimeMs`. */
function withPolicy(bucket: Readonly<Record<string, unknown>>): unknown {
  const { cache = {}, rules } = bucket;
  if (!isMap(cache)) return bucket;
  const ownCache = { ...webDefaults, ...withoutGuess(cache) };
  if (!Array.isArray(rules) || Object.hasOwn(cache, 'heuristicShare')) return { ...bucket, cache: ownCache };
  return { ...bucket, cache: ownCache, rules: rules.map(ruleWithoutGuess) };
}

function ruleWithoutGuess(rule: unknown): unknown {
  return isMap(rule) && isMap(rule.cache) ? { ...rule, cache: withoutGuess(rule.cache) } : rule;
}

function withoutGuess(cache: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.hasOwn(cache, 'ttl') ? { heuristicShare: 0, ...cache } : cache;
}

function asMap(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
