import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { clientOfForwarded, type ForwardedRequest, type ForwardingFields } from '../http/forwarded.ts';
import { isLoopbackAddress } from '../http/host-address.ts';

/** The other end of a connection. */
export interface Peer {
  /** Undefined for a unix socket, and for a connection that has closed. */
  readonly address: string | undefined;
  /** Such as `TLSv1.3`; undefined without TLS. */
  readonly tlsVersion?: string | undefined;
  /** Whether the address comes from a PROXY protocol header. */
  readonly isNamedByProxy?: boolean;
  /**
   * Whether an address belongs to a proxy that is believed when it names the client of a request; undefined: no proxy
   * is.
   */
  readonly isTrusted?: ((address: string | undefined) => boolean) | undefined;
}

/** Where a request came from. */
interface RequestOrigin {
  /** Undefined where it is not known, as on a unix socket. */
  readonly address: string | undefined;
  /** Whether TLS was used on every hop, as far as is known. */
  readonly isSecure: boolean;
  /** Whether it came from this machine directly, not through a proxy. */
  readonly isLoopback: boolean;
}

/** Addresses that a socket does not have itself, or loses when it closes. */
const known = new WeakMap<object, Peer>();

/** Sets who is at the other end of `socket`; forgotten with the socket. */
export function rememberPeer(socket: Socket, peer: Peer): void {
  known.set(socket, peer);
}

/** The other end of a connection. */
export function peerOf(socket: Socket): Peer {
  return known.get(socket) ?? { address: plainAddress(socket.remoteAddress) };
}

/**
 * The address of the client that sent a request, which is not that of the connection where a trusted proxy names another.
 */
export function clientAddressOf(request: IncomingMessage): string | undefined {
  const peer = peerOf(request.socket);
  return (passedOn(request, peer) ?? peer).address;
}

export function originOf(request: IncomingMessage): RequestOrigin {
  const { socket } = request;
  const peer = peerOf(socket);
  const isEncrypted = 'encrypted' in socket && socket.encrypted === true;
  const told = passedOn(request, peer);
  const address = told ? told.address : peer.address;
  const isDirect = !peer.isNamedByProxy && address === peer.address;
  return {
    address,
    isSecure: told?.isSecure ?? isEncrypted,
    isLoopback: isDirect && isLoopbackAddress(address ?? '') && !hasForwarding(told),
  };
}

/** The scheme that the client asked with, as far as is known. */
export function schemeOf(request: IncomingMessage): 'http' | 'https' {
  return originOf(request).isSecure ? 'https' : 'http';
}

interface PassedOn extends ForwardedRequest {
  readonly hasFields: boolean;
}

function hasForwarding(told: PassedOn | undefined): boolean {
  return told?.hasFields ?? false;
}

/** What a trusted proxy reports about its request; undefined if the other end is not a trusted proxy. */
function passedOn({ rawHeaders }: IncomingMessage, peer: Peer): PassedOn | undefined {
  const { address, isTrusted } = peer;
  if (!isTrusted?.(address)) return undefined;
  const fields = forwardingFields(rawHeaders);
  const hasFields = fields.xForwardedFor !== undefined || fields.forwarded !== undefined;
  return { hasFields, ...clientOfForwarded(address, fields, isTrusted) };
}

const names = {
  'x-forwarded-for': 'xForwardedFor',
  'x-forwarded-proto': 'xForwardedProto',
  forwarded: 'forwarded',
} as const;

/** Lines of one name make one list (RFC 9110 §5.3). */
function forwardingFields(raw: readonly string[]): ForwardingFields {
  const fields: Record<keyof ForwardingFields, string | undefined> = {
    ...{ xForwardedFor: undefined, xForwardedProto: undefined, forwarded: undefined },
  };
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? '';
    if (name !== 'x-forwarded-for' && name !== 'x-forwarded-proto' && name !== 'forwarded') continue;
    const before = fields[names[name]];
    fields[names[name]] = before === undefined ? raw[index + 1] : `${before},${raw[index + 1]}`;
  }
  return fields;
}

/** An IPv4 address as such where it comes within one of IPv6 (RFC 4291 §2.5.5.2). */
function plainAddress(address: string | undefined): string | undefined {
  return address?.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}
