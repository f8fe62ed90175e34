/** How a client writes the names of the protocol's own headers. */
export type HeaderPrefix = 'x-store-' | 'x-amz-';

const PREFIXES: readonly HeaderPrefix[] = ['x-store-', 'x-amz-'];

/**
 * The dialect a request speaks, by its header names and presigned parameters; `own` when it shows neither, or
 * both.
 */
export function dialectOf(names: Iterable<string>, own: HeaderPrefix): HeaderPrefix {
  const spoken = new Set<HeaderPrefix>();
  for (const name of names) {
    const lower = name.toLowerCase();
    for (const prefix of PREFIXES) if (lower.startsWith(prefix)) spoken.add(prefix);
  }
  const [only, ...others] = spoken;
  return only && others.length === 0 ? only : own;
}

/** A header name without either prefix; undefined when it has none. */
export function withoutPrefix(name: string): string | undefined {
  const prefix = PREFIXES.find(candidate => name.startsWith(candidate));
  return prefix && name.slice(prefix.length);
}
