/** The prefix that a client uses for the protocol's own headers. */
export type DialectPrefix = 'x-store-' | 'x-amz-';

const prefixes: readonly DialectPrefix[] = ['x-store-', 'x-amz-'];

/** The dialect of a request, by its header names and presigned parameters; `own` when it shows neither or both. */
export function dialectOf(names: Iterable<string>, own: DialectPrefix): DialectPrefix {
  const spoken = new Set<DialectPrefix>();
  for (const name of names) {
    const lower = name.toLowerCase();
    for (const prefix of prefixes) if (lower.startsWith(prefix)) spoken.add(prefix);
  }
  const [only, ...others] = spoken;
  return only && others.length === 0 ? only : own;
}

/** Removes either prefix from a header name; undefined when it has none. */
export function withoutPrefix(name: string): string | undefined {
  const prefix = prefixes.find(candidate => name.startsWith(candidate));
  return prefix && name.slice(prefix.length);
}
