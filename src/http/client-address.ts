import { isIPv4, isIPv6 } from 'node:net';

/**
 * An address in its canonical form: IPv6 as in RFC 5952, IPv4-mapped IPv6 (RFC 4291 §2.5.5.2) as IPv4. Undefined for
 * anything else, and for addresses with a zone, which is meaningful on one machine only.
 */
export function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const written = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(written);
  if (!mapped) return written;
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/**
 * The address of `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`; undefined for all else,
 * such as the obfuscated identifiers of RFC 7239 §6.3.
 */
export function addressOfNode(node: string): string | undefined {
  const bracketed = /^\[([^\]]*)\](?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node);
  if (bracketed) return isIPv6(bracketed[1] ?? '') ? canonicalAddress(bracketed[1] ?? '') : undefined;
  const withPort = /^([\d.]+):(?:\d{1,5}|_[\w.-]+)$/.exec(node);
  return canonicalAddress(withPort?.[1] ?? node);
}
