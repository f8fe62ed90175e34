import { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * The connection under a TLS connection, by the private field in which node:tls keeps it (_parent, in _tls_wrap.js);
 * undefined where this version of Node keeps it elsewhere.
 */
export function acceptedSocketOf(secure: TLSSocket): Socket | undefined {
  const parent = '_parent' in secure ? secure._parent : undefined;
  return parent instanceof Socket ? parent : undefined;
}
