/**
 * What is not said of freshness is not assumed of web origins, but guessed from how long content has not changed (RFC 9111
 * §4.2.2). What an answer allows of staleness counts for a day at most (RFC 5861), and clients are heard (RFC 9111 §5.2.1).
 * These are the values that hold in buckets at backends of `type: http` which name no others.
 */
const webDefaults = { ttl: '0s', heuristicShare: 0.1, maxStale: '1d', clientDirectives: 'honour' };

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

function withPolicy(bucket: Readonly<Record<string, unknown>>): unknown {
  const { cache = {} } = bucket;
  return isMap(cache) ? { ...bucket, cache: { ...webDefaults, ...cache } } : bucket;
}

function asMap(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
