import { BlockList, isIP } from 'node:net';
import { canonicalAddress } from '../http/client-address.ts';
import type { ListenAddress } from './listen-address.ts';

/** A network as written: `10.0.0.0/8`, `2001:db8::/32`, or one address. */
interface Network {
  readonly address: string;
  readonly prefixLength: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Undefined if it is not a network. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%')) return undefined;
  const longest = version === 4 ? 32 : 128;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const prefixLength = length === undefined ? longest : Number(length);
  if (prefixLength > longest) return undefined;
  return { address, prefixLength, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/**
 * Returns a check whether an address is in `networks`.
 *
 * @param listener clients of a unix socket have no address, and are trusted, because its file permissions protect it
 */
export function trustsProxies(
  networks: readonly string[],
  listener: ListenAddress['kind'],
): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const parsed = parseNetwork(network);
    if (parsed) list.addSubnet(parsed.address, parsed.prefixLength, parsed.family);
  }
  return address => {
    if (address === undefined) return listener === 'unix';
    const plain = canonicalAddress(address.replace(/%.*$/, ''));
    return plain !== undefined && list.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4');
  };
}
