/** The text of the first element of that name; undefined without one. */
export function xmlText(document: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(document)?.[1];
}

/** Names of the elements right below the root, in order. */
export function xmlChildren(document: string): string[] {
  const inner = /^<\?xml[^>]*\?>\s*<\w+[^>]*>(.*)<\/\w+>$/s.exec(document)?.[1] ?? '';
  return [...inner.matchAll(/<([\w.-]+)>[^<]*<\/\1>/g)].map(([, name = '']) => name);
}
