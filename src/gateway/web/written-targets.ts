/** Path and query. */
interface NamedTarget {
  readonly path: string;
  readonly query: string | undefined;
}

const parts = /^((?:https?:)?\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i;

/**
 * Path and query as `reference` spells them (RFC 3986 §5.2): parsers of URLs escape more than what must be, such as `'` in a query.
 * With dot segments and without; what must be escaped is, with digits in either case.
 *
 * @param reference as received, in Latin-1
 * @param base path and query of the target
 */
export function writtenTargets(reference: string, base: string): readonly NamedTarget[] {
  const [, origin, path = '', query] = parts.exec(reference) ?? [];
  const [basePath = '', baseQuery] = base.split(/\?(.*)/, 2);
  const isSame = origin === undefined && path === '';
  const whole = isSame ? basePath : merged(origin === undefined ? basePath : '/', path);
  const asked = isSame ? (query ?? baseQuery) : query;
  return [...new Set([whole, withoutDots(whole)])].flatMap(named => {
    const upper = escapedIn({ path: named, query: asked }, byte => byte.toUpperCase());
    const lower = escapedIn({ path: named, query: asked }, byte => byte);
    return upper.path === lower.path && upper.query === lower.query ? [upper] : [upper, lower];
  });
}

function merged(base: string, path: string): string {
  return path.startsWith('/') ? path : base.slice(0, base.lastIndexOf('/') + 1) + path;
}

/** RFC 3986 §5.2.4. */
function withoutDots(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/');
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === '..' && kept.length > 1) kept.pop();
    if (segment !== '.' && segment !== '..') kept.push(segment);
    else if (isLast) kept.push('');
  }
  return kept.join('/');
}

function escapedIn({ path, query }: NamedTarget, spelled: (byte: string) => string): NamedTarget {
  const escaped = (text: string) =>
    text.replace(/[^\x21-\x7e]/g, sign => `%${spelled(sign.charCodeAt(0).toString(16).padStart(2, '0'))}`);
  return { path: escaped(path), query: query === undefined ? undefined : escaped(query) };
}
