import type { IncomingMessage } from 'node:http';
import { headerLines } from '../../http/header-lines.ts';
import { withoutHopByHop } from '../../http/hop-by-hop.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { originOf } from '../../transport/peer.ts';
import type { WebRules } from '../request/bucket.ts';
import type { WebAddress } from './web-target.ts';

/** How this gateway is called in Via (RFC 9110 §7.6.3). */
export const VIA = '1.1 tidegate';

/** Fields that the gateway sets itself, or that are about one hop. */
const ownFields: ReadonlySet<string> = new Set(['host', 'content-length', 'expect', 'max-forwards']);

/**
 * Fields in which proxies tell of requests, and that origins believe: from a client they would change answers that are
 * cached for all. No key and no Vary has them. Some origins read `_` as `-`.
 */
const believed =
  /^(?:forwarded|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|true-client-ip|x-cluster-client-ip|cf-connecting-ip|fastly-client-ip|x-proxyuser-ip|proxy|x-scheme|x-url-scheme|x-host|x-http-host-override|x-original-.*|x-rewrite-url|x-http-method(?:-override)?|x-method-override|front-end-https|client-ip|fly-client-ip|x-azure-clientip|x-appengine-user-ip|x-http-path-override|x-invoke-path|x-middleware-subrequest|x-script-name|script-name|x-url|request-uri|base-url|wl-proxy-ssl|x-envoy-original-path|x-envoy-external-address|x-host-override|forwarded-host|cloudfront-forwarded-proto|x-arr-ssl|remote-user|ssl-client-verify)$/;

/** The fields of a client's request that the origin gets, and those that the gateway adds. */
export function outgoingFields(
  request: IncomingMessage,
  { bucket, host }: Pick<WebAddress, 'bucket' | 'host'>,
  isTraced: boolean,
): HeaderField[] {
  const sent: HeaderField[] = hostFieldOf(bucket.web, host);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  let via = '';
  for (const [rawName, value] of headerLines(withoutHopByHop(request.rawHeaders))) {
    const name = rawName.toLowerCase();
    if (name === 'via') via += `${value}, `;
    else if (isPassed(name, isTraced) && !(isRead && isAboutOthers(name)))
      sent.push({ name, value, store: false });
  }
  sent.push({ name: 'via', value: via + VIA, store: false });
  if (bucket.web.forwarded) sent.push(...forwardedFields(request, host));
  return sent;
}

/** `Host` at the origin, where it is not that of the endpoint. */
export function hostFieldOf({ host: rule }: WebRules, clientHost: string): HeaderField[] {
  const value = rule.kind === 'fixed' ? rule.name : clientHost;
  return rule.kind === 'origin' || value === '' ? [] : [{ name: 'host', value, store: false }];
}

/**
 * Fields that might change the answer to a GET, which others get, although neither key nor Vary has them: those about a body,
 * which is not sent, and names that some origins read as other ones (`_` as `-`).
 */
function isAboutOthers(name: string): boolean {
  return name.startsWith('content-') || !/^[a-z\d-]+$/.test(name);
}

function isPassed(name: string, isTraced: boolean): boolean {
  if (isTraced && (name === 'traceparent' || name === 'tracestate')) return false;
  return !ownFields.has(name) && !believed.test(name.replaceAll('_', '-'));
}

function forwardedFields(request: IncomingMessage, host: string): HeaderField[] {
  const { address } = originOf(request);
  const told: [string, string][] = [
    ['x-forwarded-proto', schemeOf(request)],
    ['x-forwarded-host', host],
  ];
  if (address !== undefined) told.unshift(['x-forwarded-for', address]);
  return told.map(([name, value]) => ({ name, value, store: false }));
}

/** The scheme that the client asked with, as far as is known. */
export function schemeOf(request: IncomingMessage): 'http' | 'https' {
  return originOf(request).isSecure ? 'https' : 'http';
}

/** All lines of one name joined; undefined where there is none (RFC 9110 §5.3). */
export function fieldValue(fields: readonly HeaderField[], name: string): string | undefined {
  let joined: string | undefined;
  for (const field of fields)
    if (field.name === name) joined = joined === undefined ? field.value : `${joined}, ${field.value}`;
  return joined;
}
