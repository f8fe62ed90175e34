import { formatAddress } from '../base/listen-error.ts';
import type { TlsMaterial } from './tls/tls-material.ts';

/** Which proxies an address trusts. */
export interface ProxySettings {
  /** Networks of proxies that are believed when they name the client of a request; undefined: none are. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Whether every connection begins with a header of the PROXY protocol. */
  readonly proxyProtocol?: boolean | undefined;
}

/** The settings of addresses, by their texts (`formatListenAddress`). */
export type ProxiesByAddress = ReadonlyMap<string, ProxySettings>;

/** A TCP address. */
export interface TcpAddress extends ProxySettings {
  readonly kind: 'tcp';
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Undefined for plain HTTP. */
  readonly tls?: TlsMaterial | undefined;
}

/** A unix socket. */
export interface UnixAddress extends ProxySettings {
  readonly kind: 'unix';
  readonly path: string;
  /** The permissions of the socket file; who may write to it may connect. */
  readonly mode: number;
}

/** Where a listener accepts connections. */
export type ListenAddress = TcpAddress | UnixAddress;

/** An address in messages and logs. */
export function formatListenAddress(address: ListenAddress): string {
  return address.kind === 'tcp' ? formatAddress(address.host, address.port) : address.path;
}

/** What clients call: `http://host:port`, `https://host:port` or `unix:/path`. */
export function urlOf(address: ListenAddress): string {
  const text = formatListenAddress(address);
  if (address.kind === 'unix') return `unix:${text}`;
  return `${address.tls ? 'https' : 'http'}://${text}`;
}
