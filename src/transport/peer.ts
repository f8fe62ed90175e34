import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { clientOfForwarded, type ForwardedRequest, type ForwardingFields } from '../http/forwarded.ts';

/** The other end of a connection. */
export interface Peer {
  /** Undefined where it has none (a unix socket), or no longer has one. */
  readonly address: string | undefined;
  /** Such as `TLSv1.3`; undefined without TLS. */
  readonly tlsVersion?: string | undefined;
  /** Whether a proxy says so (the PROXY protocol). */
  readonly isNamedByProxy?: boolean;
  /** Whether the other end is a proxy whose word on the clients of its requests counts; undefined: none is. */
  readonly isTrusted?: ((address: string | undefined) => boolean) | undefined;
}

/** Where a request came from. */
interface RequestOrigin {
  /** Undefined where it is not known, as on a unix socket. */
  readonly address: string | undefined;
  /** Whether the request was secure on its whole way, as far as it is known. */
  readonly isSecure: boolean;
  /** Whether it came from this machine, by no proxy that says otherwise. */
  readonly isLoopback: boolean;
}

/** What the sockets themselves do not tell, or not after they were closed. */
const known = new WeakMap<object, Peer>();

/** Remembers who is at the other end of `socket`, for as long as there is the socket. */
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
    isLoopback: isDirect && isLoopback(address) && !hasForwarding(told),
  };
}

interface PassedOn extends ForwardedRequest {
  readonly hasFields: boolean;
}

function hasForwarding(told: PassedOn | undefined): boolean {
  return told?.hasFields ?? false;
}

/** What a trusted proxy tells of its request; undefined where the other end is none. */
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

function isLoopback(address: string | undefined): boolean {
  return address === '::1' || (address?.startsWith('127.') ?? false);
}
