import { formatAddress } from '../base/listen-error.ts';
import type { TlsMaterial } from './tls/tls-material.ts';

/** A TCP address. */
export interface TcpAddress {
  readonly kind: 'tcp';
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Undefined for plain HTTP. */
  readonly tls?: TlsMaterial | undefined;
}

/** A unix socket. */
export interface UnixAddress {
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
