import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostOf, isLoopbackHost } from '../http/host-address.ts';
import { AdminError, type AdminRoute, type Sender } from './admin-route.ts';

/** Who may ask the admin port. */
export interface AdminAccess {
  /** Other host names of the admin port. */
  readonly names: readonly string[];
  /** The bearer token, if configured. */
  readonly token?: string | undefined;
}

/**
 * Checks every request: the Host header must be a name of this port (against DNS rebinding), the bearer token must
 * match if one is set, and changes must be what no HTML form of another site can send, such as JSON.
 *
 * @param host the address that the admin port is bound to
 * @param access read for each request, as a reload may change it
 * @returns a function that tells whether the sender is known
 * @throws AdminError 400, 421, 401 or 415
 */
export function createGuard(
  host: string,
  access: () => AdminAccess,
): (route: AdminRoute, request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>) => Sender {
  return (route, request) => {
    const { headers, headersDistinct } = request;
    const { names, token } = access();
    // RFC 9112 §3.2: a proxy on the way may have judged another one
    if ((headersDistinct.host?.length ?? 0) > 1)
      throw new AdminError(400, 'INVALID_HOST', 'the request has more than one Host header');
    if (headers.host === undefined)
      throw new AdminError(400, 'INVALID_HOST', 'the request has no Host header');
    if (!isOwnHost(headers.host, host, names)) {
      throw new AdminError(421, 'MISDIRECTED', 'the Host header is not a name of this admin port');
    }
    const isKnown = route.open || isAuthorized(headers.authorization, token, route.token?.value);
    if (!isKnown && !route.mayProve?.(request)) throw unauthorized(route);
    if (route.method === 'POST' && !(route.isNoForm ?? isJson)(request)) {
      throw new AdminError(415, 'UNSUPPORTED_MEDIA_TYPE', 'changes need content-type: application/json');
    }
    return isKnown ? 'authorized' : 'unproven';
  };
}

/**
 * A token is the bearer's. That of a route can be a password too: senders that take nothing but a URL have no other way.
 * Where neither the port nor the route has a token, none is needed.
 */
function isAuthorized(
  given: string | undefined,
  ofPort: string | undefined,
  ofRoute: string | undefined,
): boolean {
  if (ofPort === undefined && ofRoute === undefined) return true;
  const said = given ?? '';
  const password = passwordIn(said);
  const isOfPort = ofPort !== undefined && isEqual(said, `Bearer ${ofPort}`);
  const isOfRoute =
    ofRoute !== undefined && (isEqual(said, `Bearer ${ofRoute}`) || isEqual(password ?? '', ofRoute));
  return isOfPort || isOfRoute;
}

/** RFC 7617: what follows the first colon; undefined for another scheme. */
function passwordIn(authorization: string): string | undefined {
  const encoded = /^Basic +([\w+/=-]+) *$/i.exec(authorization)?.[1];
  return encoded === undefined ? undefined : /:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}

/** Hashes have a fixed length, so the comparison reveals nothing about the length of the secret. */
function isEqual(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

/** The refusal of a request whose sender is not known. */
export function unauthorized({ token }: Pick<AdminRoute, 'token'>): AdminError {
  const [scheme, reason] =
    token === undefined
      ? ['Bearer', 'the bearer token of admin.token is missing or wrong']
      : ['Basic', `the token of ${token.key} is missing or wrong, as bearer token or as password`];
  return new AdminError(401, 'UNAUTHORIZED', reason, { 'www-authenticate': `${scheme} realm="tidegate"` });
}

/** Whether a body says that it is JSON, as no form can. */
export function isJson({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}

/**
 * A loopback port accepts loopback names; another one its own name, configured names and any IP address, as an address
 * cannot be rebound. The port number is not checked, since it may be mapped.
 */
function isOwnHost(header: string | undefined, host: string, names: readonly string[]): boolean {
  const called = URL.parse(`http://${header}`);
  if (!header || !called || called.host.length === 0 || called.pathname !== '/' || called.username)
    return false;
  const name = hostOf(called);
  if (name === host || names.includes(name) || isLoopbackHost(name)) return true;
  return isIP(name) !== 0 && !isLoopbackHost(host);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
