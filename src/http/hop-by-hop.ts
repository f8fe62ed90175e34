import { type HeaderList, headerLines } from './header-lines.ts';

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
 * Removes hop-by-hop header lines from a received message: the fixed ones and those listed in its `Connection` lines.
 * An intermediary neither forwards nor stores these (RFC 9110 §7.6.1, RFC 9111 §3.1).
 */
export function withoutHopByHop(raw: HeaderList): HeaderList {
  const nominated = nominatedFields(raw);
  const kept: string[] = [];
  for (const [name, value] of headerLines(raw)) {
    const lowerCase = name.toLowerCase();
    if (!hopByHopFields.has(lowerCase) && !nominated.has(lowerCase)) kept.push(name, value);
  }
  return kept;
}

/** The options of all `Connection` lines: names of fields, and options such as `close` and `keep-alive`. */
function nominatedFields(raw: HeaderList): ReadonlySet<string> {
  const options = new Set<string>();
  for (const [name, value] of headerLines(raw)) {
    if (name.toLowerCase() !== 'connection') continue;
    for (const option of value.split(',')) options.add(option.trim().toLowerCase());
  }
  return options;
}
