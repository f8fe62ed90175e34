import type { IncomingMessage } from 'node:http';
import { isGetOrHead } from '../../http/get-or-head.ts';
import { headerLines } from '../../http/header-lines.ts';
import { withoutHopByHop } from '../../http/hop-by-hop.ts';
import { traceFieldNames } from '../../http/trace-context.ts';
import type { Vary } from '../../http/vary.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { originOf, schemeOf } from '../../transport/peer.ts';
import type { WebRules } from '../request/bucket.ts';
import type { WebAddress } from './web-target.ts';

/** How this gateway is called in Via (RFC 9110 §7.6.3). */
export const VIA = '1.1 tidegate';

/** What is sent where the gateway asks in nobody's name. Many firewalls refuse requests that do not say who asks, or for what. */
export const fieldsOfGateway = { via: VIA, 'user-agent': 'tidegate', accept: '*/*' };

/** Fields that the gateway sets itself, or that are about one hop. */
const ownFields: ReadonlySet<string> = new Set(['host', 'content-length', 'expect', 'max-forwards']);

/** How many more proxies an OPTIONS may pass (RFC 9110 §7.6.2). */
export function forwardsLeft({ method, headers }: IncomingMessage): number | undefined {
  const value = headers['max-forwards'];
  return method === 'OPTIONS' && typeof value === 'string' && /^\d{1,9}$/.test(value)
    ? Number(value)
    : undefined;
}

/**
 * Fields in which proxies tell of requests, and that origins believe: from a client they would change answers that are
 * cached for all. No key and no Vary has them. Some origins read `_` as `-`.
 */
const believed = namesPattern(
  ...[
    'forwarded',
    'x-forward(?:ed)?(?:-.*)?',
    'x-forwarder-for',
    'forwarded-host',
    'proxy',
    'x-proxyuser-ip',
  ],
  // addresses of clients
  ...['x-real-ip', 'x-client-ip', 'client-ip', 'true-client-ip', 'x-cluster-client-ip', 'cf-connecting-ip'],
  ...['fastly-client-ip', 'fly-client-ip', 'x-azure-(?:clientip|socketip)', 'x-remote-(?:addr|ip)'],
  'x-originating-ip',
  // hosts and schemes
  ...[
    'x-host',
    'x-host(?:name|-override)',
    'x-http-host(?:-override)?',
    'http-x-forwarded-host',
    'x-server-name',
  ],
  ...[
    'disguised-host',
    'https',
    'x-(?:url-)?scheme',
    'x-https',
    'x-ssl(?:-.*)?',
    'x-arr-ssl',
    'front-end-https',
  ],
  ...['wl-proxy-ssl', 'cloudfront-.*', 'cf-(?:visitor|ipcountry)'],
  // paths and methods
  ...[
    'x-original-.*',
    'x-rewrite-ur[il]',
    'x-(?:request-)?ur[il]',
    'request-uri',
    'base-url',
    'x-replaced-path',
  ],
  ...[
    '(?:x-)?(?:path-info|script-name)',
    'x-http-path-override',
    'x-ms-original-url',
    'x-waws-unencoded-url',
  ],
  ...['x-http-method(?:-override)?', 'x-method-override', 'x-sendfile-type', 'x-accel-.*', 'translate'],
  // who and where the client is
  ...[
    '(?:x-)?remote-user',
    'x-(?:authenticated|webauth)-user',
    'x-client-cert(?:-.*)?',
    '(?:x-)?ssl-client-.*',
  ],
  ...['x-(?:appengine|geo|vercel-ip|envoy)-.*', 'x-country-code', 'x-akamai-edgescape'],
  // what frameworks tell themselves
  ...['x-invoke-.*', 'x-middleware-.*', 'x-matched-path', 'x-now-route-matches'],
);

function namesPattern(...names: string[]): RegExp {
  return new RegExp(`^(?:${names.join('|')})$`);
}

/**
 * Fields by which clients ask for something else under the same name. The answer is for others only where it says that it
 * varies by them.
 */
export const selectors: readonly string[] = [
  ...['a-im', 'prefer', 'purpose', 'x-purpose', 'sec-purpose'],
  // fragments of pages, or their data
  ...['x-nextjs-data', 'rsc', 'hx-request', 'turbo-frame', 'x-pjax', 'x-inertia'],
];

/** Whether `sent` asks for something that others do not get, though Vary does not name what. */
export function hasUnnamedSelector(sent: readonly HeaderField[], vary: Vary): boolean {
  return sent.some(({ name }) => selectors.includes(name) && vary !== '*' && !vary.includes(name));
}

/** The fields of a client's request that the origin gets, and those that the gateway adds. */
export function outgoingFields(
  request: IncomingMessage,
  { bucket, host }: Pick<WebAddress, 'bucket' | 'host'>,
  isTraced: boolean,
): HeaderField[] {
  const sent: HeaderField[] = hostFieldOf(bucket.web, host);
  const isRead = isGetOrHead(request.method ?? '');
  let via = '';
  for (const [rawName, value] of headerLines(withoutHopByHop(request.rawHeaders))) {
    const name = rawName.toLowerCase();
    if (name === 'via') via += `${value}, `;
    else if (isPassed(name, isTraced) && !(isRead && isAboutOthers(name)))
      sent.push({ name, value, store: false });
  }
  sent.push({ name: 'via', value: via + VIA, store: false });
  if (bucket.web.forwarded) sent.push(...forwardedFields(request, host));
  const left = forwardsLeft(request);
  if (left !== undefined) sent.push({ name: 'max-forwards', value: String(left - 1), store: false });
  return sent;
}

/** What the gateway itself tells of a request. */
const told: ReadonlySet<string> = new Set([
  ...['host', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'],
]);

/** `sent` without what the client has said, but for fields of these names. */
export function fieldsOfNobody(sent: readonly HeaderField[], names: readonly string[]): HeaderField[] {
  const kept = sent.filter(({ name }) => told.has(name) || names.includes(name));
  for (const [name, value] of Object.entries(fieldsOfGateway))
    if (!names.includes(name)) kept.push({ name, value, store: false });
  return kept;
}

/** `Host` at the origin, where it is not that of the endpoint. */
function hostFieldOf({ host: rule }: WebRules, clientHost: string): HeaderField[] {
  const value = rule.kind === 'fixed' ? rule.name : clientHost;
  return rule.kind === 'origin' || value === '' ? [] : [{ name: 'host', value, store: false }];
}

/** What an origin is told of where a request was sent to, as far as it learns that, where no client is to be told of. */
export function fieldsOfPlace(web: WebRules, scheme: string, host: string): HeaderField[] {
  const fields = hostFieldOf(web, host);
  const forwarded = { 'x-forwarded-proto': scheme, 'x-forwarded-host': host };
  for (const [name, value] of Object.entries(web.forwarded ? forwarded : {}))
    fields.push({ name, value, store: false });
  return fields;
}

/**
 * Fields that might change the answer to a GET, which others get, although neither key nor Vary has them: those about a body,
 * which is not sent, and names that some origins read as other ones (`_` as `-`).
 */
function isAboutOthers(name: string): boolean {
  return name.startsWith('content-') || !/^[a-z\d-]+$/.test(name);
}

/** Whether a GET would tell all of `sent` that may select an answer which varies so, see `isAboutOthers`. */
export function couldBeOfGet(sent: readonly HeaderField[], vary: Vary): boolean {
  const isTold = (name: string) => vary === '*' || vary.includes(name);
  return sent.every(({ name }) => !isAboutOthers(name) || (name.startsWith('content-') && !isTold(name)));
}

function isPassed(name: string, isTraced: boolean): boolean {
  if (isTraced && traceFieldNames.has(name)) return false;
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
