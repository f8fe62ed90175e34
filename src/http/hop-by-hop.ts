import { type HeaderList, headerLines } from './header-list.ts';

/** Fields about one connection, whether `Connection` names them or not (RFC 9110 §7.6.1, RFC 9111 §3.1). */
export const hopByHopFields: ReadonlySet<string> = new Set([
  'connection',
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
 * The lines of a received message that concern more than the connection they came over: without the fields that are
 * always about the connection and those that its `Connection` names. An intermediary neither forwards nor stores these
 * (RFC 9110 §7.6.1, RFC 9111 §3.1).
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

/** The options of all `Connection` lines; names of fields among them, and `close` and `keep-alive`. */
function nominatedFields(raw: HeaderList): ReadonlySet<string> {
  const options = new Set<string>();
  for (const [name, value] of headerLines(raw)) {
    if (name.toLowerCase() !== 'connection') continue;
    for (const option of value.split(',')) options.add(option.trim().toLowerCase());
  }
  return options;
}
