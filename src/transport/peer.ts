import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The other end of a connection. */
export interface Peer {
  /** Undefined where it has none (a unix socket), or no longer has one. */
  readonly address: string | undefined;
  /** Such as `TLSv1.3`; undefined without TLS. */
  readonly tlsVersion: string | undefined;
}

/** What the sockets themselves do not tell, or not after they were closed. */
const known = new WeakMap<object, Peer>();

/** Remembers who is at the other end of `socket`, for as long as there is the socket. */
export function rememberPeer(socket: Socket, peer: Peer): void {
  known.set(socket, peer);
}

/** The other end of a connection. */
export function peerOf(socket: Socket): Peer {
  return known.get(socket) ?? { address: plainAddress(socket.remoteAddress), tlsVersion: undefined };
}

/** The address of the client that sent a request. */
export function clientAddressOf({ socket }: IncomingMessage): string | undefined {
  return (known.get(socket) ?? { address: plainAddress(socket.remoteAddress) }).address;
}

/** An IPv4 address as such where it comes within one of IPv6 (RFC 4291 §2.5.5.2). */
export function plainAddress(address: string | undefined): string | undefined {
  return address?.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}
