import { tagFieldNames } from './cache-tags.ts';
import { eachHeaderLine, type HeaderList } from './header-lines.ts';
import { targetedFields } from './targeted-cache-control.ts';
import { withoutWhiteSpace } from './white-space.ts';

/** Fields that are always hop-by-hop, whether `Connection` lists them or not (RFC 9110 §7.6.1, RFC 9111 §3.1, RFC 9113 §8.2.2). */
export const hopByHopFields: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Fields that `Connection` must not list, since they are for all recipients (RFC 9110 §7.6.1). They say for whom, for how long and of
 * which bytes an answer is, and what ends it: without them it would be kept for others, or for too long. In a request it is the same.
 */
const neverNominated: ReadonlySet<string> = new Set([
  ...['age', 'cache-control', 'date', 'expires', 'set-cookie', 'set-cookie2', 'vary', ...targetedFields],
  ...['content-encoding', 'content-language', 'content-range', 'content-type', 'etag', 'last-modified'],
  ...['content-location', 'location', 'cache-group-invalidation', ...tagFieldNames],
]);

/**
 * Removes hop-by-hop header lines from a received message: the fixed ones and those listed in its `Connection` lines.
 * An intermediary neither forwards nor stores these (RFC 9110 §7.6.1, RFC 9111 §3.1).
 * @param head whose `Connection` lines count: of trailers, what came before the content
 */
export function withoutHopByHop(raw: HeaderList, head = raw): HeaderList {
  const nominated = nominatedFields(head);
  const kept: string[] = [];
  eachHeaderLine(raw, (name, value) => {
    const lowerCase = name.toLowerCase();
    if (!hopByHopFields.has(lowerCase) && !nominated?.has(lowerCase)) kept.push(name, value);
  });
  return kept;
}

/** The options of all `Connection` lines: names of fields, and options such as `close` and `keep-alive`. Undefined where there are none. */
function nominatedFields(raw: HeaderList): ReadonlySet<string> | undefined {
  const lines: string[] = [];
  eachHeaderLine(raw, (name, value) => {
    if (name.toLowerCase() === 'connection') lines.push(value);
  });
  if (lines.length === 0) return undefined;
  const options = lines
    .flatMap(line => line.split(','))
    .map(option => withoutWhiteSpace(option).toLowerCase());
  return new Set(options.filter(option => !neverNominated.has(option)));
}
