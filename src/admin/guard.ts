import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { AdminError, type AdminRoute } from './admin-route.ts';

export interface GuardOptions {
  /** The address that the admin port is bound to. */
  readonly host: string;
  /** Further names under which it is reached. */
  readonly names: readonly string[];
  /** The bearer token, where one is configured. */
  readonly token: string | undefined;
}

/**
 * Who may ask at all: a Host of ours (a page of another site whose name was rebound to this address has its
 * own), the bearer token where one is set, and JSON for changes (a form of another site cannot send it).
 * @throws AdminError 421, 401 or 415
 */
export function createGuard(
  options: GuardOptions,
): (route: AdminRoute, headers: IncomingHttpHeaders) => void {
  const { host, names, token } = options;
  const wanted = token === undefined ? undefined : digest(`Bearer ${token}`);
  return (route, headers) => {
    if (!isOwnHost(headers.host, host, names)) {
      throw new AdminError(421, 'MISDIRECTED', 'the Host header is not a name of this admin port');
    }
    // hashes have one length, so that the comparison tells nothing of the token's
    if (wanted && !route.open && !timingSafeEqual(wanted, digest(headers.authorization ?? ''))) {
      const challenge = { 'www-authenticate': 'Bearer realm="tidegate"' };
      throw new AdminError(
        401,
        'UNAUTHORIZED',
        'the bearer token of admin.token is missing or wrong',
        challenge,
      );
    }
    if (route.method === 'POST' && !route.anyContentType && !isJson(headers['content-type'])) {
      throw new AdminError(415, 'UNSUPPORTED_MEDIA_TYPE', 'changes take content-type: application/json');
    }
  };
}

/**
 * A loopback port is called by loopback names; one that others reach is called by its own name, by names
 * that are configured, or by any address, since an address cannot be rebound. The port may have been mapped.
 */
function isOwnHost(header: string | undefined, host: string, names: readonly string[]): boolean {
  const called = URL.parse(`http://${header}`);
  if (!header || !called || called.host.length === 0 || called.pathname !== '/' || called.username)
    return false;
  const name = called.hostname.replace(/^\[|\]$/g, '');
  if (name === 'localhost' || name === host || names.includes(name) || isLoopbackAddress(name)) return true;
  return isIP(name) !== 0 && !isLoopbackAddress(host) && host !== 'localhost';
}

function isLoopbackAddress(name: string): boolean {
  return name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(?:;|$)/i.test(contentType ?? '');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
