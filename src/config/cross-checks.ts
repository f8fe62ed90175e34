import { isIP } from 'node:net';
import { hostOf, isAnyAddress, isLoopbackHost } from '../http/host-address.ts';
import { parseAccessPointArn } from '../s3/access-point.ts';
import { EVERY_OTHER_BUCKET, isVirtualHostable } from '../s3/bucket-name.ts';
import { pathPrefixProblem } from '../s3/path-key.ts';
import type { ConfiguredAddress } from '../server/tls/certificate-watch.ts';
import { placesOfNamed } from './bucket-places.ts';
import { fallbacks } from './fallback-checks.ts';
import { otherBucketNames } from './other-buckets.ts';
import { formatPath } from './problems.ts';
import { requestHeaders } from './request-header-checks.ts';
import { KEY_KINDS, type KeyRestrictions, undecidedBackends } from './restricted-keys.ts';
import { shownName } from './secret-texts.ts';
import { formatSize } from './units.ts';
import { unknownBackends } from './unknown-backends.ts';
import { impossibleWarming, type WarmingConfig } from './warming-checks.ts';
import { type WebConfig, webOrigins } from './web-checks.ts';

/** The parts of the configuration that depend on each other. */
export interface CheckedConfig {
  readonly listen: readonly ConfiguredAddress[];
  readonly admin: Listener & { readonly token?: string | undefined };
  readonly backends: Readonly<
    Record<
      string,
      KeyRestrictions['backends'][string] & {
        readonly directory?: string;
        readonly endpoint?: string;
        readonly addressing?: string;
        readonly fallback?: string | undefined;
        readonly tls?: { readonly insecureSkipVerify: boolean } | undefined;
      }
    >
  >;
  readonly buckets: Readonly<
    Record<
      string,
      KeyRestrictions['buckets'][string] & WebConfig['buckets'][string] & WarmingConfig['buckets'][string]
    >
  >;
  readonly clients: readonly (KeyRestrictions['clients'][number] & { readonly accessKeyId: string })[];
  readonly events: { readonly queue?: { readonly backend?: string | undefined } | undefined };
  readonly limits: { readonly headersBytes: number; readonly urlBytes: number };
  readonly alerts: {
    readonly callbacks?: Listener | undefined;
    readonly webhooks: readonly { readonly url: string; readonly service: string; readonly card: string }[];
  };
}

interface Listener {
  readonly host: string;
  readonly port: number;
}

/** A key whose value is valid by itself but conflicts with others, and what is allowed there. */
interface CrossProblem {
  readonly path: readonly PropertyKey[];
  readonly held: unknown;
  readonly allowed: string;
}

/**
 * Checks that involve more than one key.
 *
 * @param asksForKeys false to accept backends without `keys` where it is required, so that their stores can be queried
 *   for it.
 */
export function crossCheck(config: CheckedConfig, asksForKeys = true): CrossProblem[] {
  return [
    ...adminToken(config),
    ...sharedPorts(config),
    ...sharedPaths(config),
    ...sharedDirectories(config),
    ...unknownBackends(config),
    ...fallbacks(config),
    ...webOrigins(config),
    ...requestHeaders(config),
    ...impossibleWarming(config),
    ...tlsOfBackends(config),
    ...addressesWithoutNames(config),
    ...renamedWildcard(config),
    ...(asksForKeys ? undecidedKeys(config) : []),
    ...aliasPrefixes(config),
    ...accessPointsWithoutHosts(config),
    ...namesThatMakeNoHost(config),
    ...clientsOnce(config),
    ...urlsWithinHeaders(config),
    ...unknownClientBuckets(config),
    ...webhooksOnce(config),
    ...workflowCards(config),
  ];
}

/** node:http counts the request line as part of the headers. */
function* urlsWithinHeaders({ limits }: CheckedConfig): Generator<CrossProblem> {
  if (limits.urlBytes < limits.headersBytes) return;
  yield {
    path: ['limits', 'url'],
    held: formatSize(limits.urlBytes),
    allowed: `less than limits.headers, which is ${formatSize(limits.headersBytes)}`,
  };
}

function* adminToken({ admin }: CheckedConfig): Generator<CrossProblem> {
  if (admin.token !== undefined || isLoopbackHost(admin.host)) return;
  const allowed = `a bearer token, since admin.host is not a loopback address`;
  yield { path: ['admin', 'token'], held: undefined, allowed };
}

function* sharedPorts({ listen, admin, alerts }: CheckedConfig): Generator<CrossProblem> {
  const listeners: { key: PropertyKey[]; at: Listener }[] = listen.flatMap((at, index) =>
    at.kind === 'tcp' ? [{ key: listenKey(listen, index), at }] : [],
  );
  listeners.push({ key: ['admin'], at: admin });
  if (alerts.callbacks) listeners.push({ key: ['alerts', 'callbacks'], at: alerts.callbacks });
  for (const [index, { key, at }] of listeners.entries()) {
    const other = listeners.slice(0, index).find(earlier => collide(earlier.at, at));
    if (!other) continue;
    const allowed = `a port other than ${at.port}, which ${formatPath(other.key)} uses`;
    yield { path: [...key, 'port'], held: at.port, allowed };
  }
}

function* sharedPaths({ listen }: CheckedConfig): Generator<CrossProblem> {
  const seen = new Set<string>();
  for (const [index, address] of listen.entries()) {
    if (address.kind === 'tcp') continue;
    const path = [...listenKey(listen, index), 'path'];
    if (seen.has(address.path))
      yield { path, held: address.path, allowed: 'a path that no other listener has' };
    seen.add(address.path);
  }
}

/** The place of an address in the file, where a single one may stand without a list. */
function listenKey({ length }: CheckedConfig['listen'], index: number): PropertyKey[] {
  return length === 1 ? ['listen'] : ['listen', index];
}

function collide(a: Listener, b: Listener): boolean {
  return (
    a.port !== 0 && a.port === b.port && (a.host === b.host || isAnyAddress(a.host) || isAnyAddress(b.host))
  );
}

function* sharedDirectories({ backends }: CheckedConfig): Generator<CrossProblem> {
  const owners = new Map<string, string>();
  for (const [name, { directory }] of Object.entries(backends)) {
    if (directory === undefined) continue;
    const owner = owners.get(directory);
    owners.set(directory, owner ?? name);
    if (owner === undefined) continue;
    const allowed = `a directory that ${formatPath(['backends', owner])} does not use`;
    yield { path: ['backends', name, 'directory'], held: directory, allowed };
  }
}

/** Whoever can come between would read and change everything. */
function* tlsOfBackends({ backends }: CheckedConfig): Generator<CrossProblem> {
  for (const [name, { endpoint = '', addressing, tls }] of Object.entries(backends)) {
    if (!tls) continue;
    const { protocol } = new URL(endpoint);
    const path = ['backends', name, 'tls'];
    if (protocol !== 'https:')
      yield { path, held: undefined, allowed: 'nothing, unless the endpoint is https' };
    else if (tls.insecureSkipVerify && !isLoopbackHost(hostOf(endpoint))) {
      const allowed =
        'false, since the endpoint is not a loopback address; name the authority of its certificate with ca';
      yield { path: [...path, 'insecureSkipVerify'], held: true, allowed };
    } else if (tls.insecureSkipVerify && addressing === 'virtual') {
      // resolvers may ask the network for names under localhost (RFC 6761 §6.3 is not kept everywhere)
      const allowed =
        'false, since with addressing: virtual the hosts are names under that of the endpoint, which need not be loopback addresses';
      yield { path: [...path, 'insecureSkipVerify'], held: true, allowed };
    }
  }
}

/** There is no name under an address. */
function* addressesWithoutNames({ backends }: CheckedConfig): Generator<CrossProblem> {
  for (const [name, { endpoint, addressing }] of Object.entries(backends)) {
    if (endpoint === undefined || addressing !== 'virtual' || isIP(hostOf(endpoint)) === 0) continue;
    const allowed = 'path, since the endpoint is an address: no bucket can be a part of its name';
    yield { path: ['backends', name, 'addressing'], held: addressing, allowed };
  }
}

function* renamedWildcard({ buckets }: CheckedConfig): Generator<CrossProblem> {
  const held = buckets[EVERY_OTHER_BUCKET]?.bucket;
  const allowed = 'nothing, since "*" stands for every other name as it is';
  if (held !== undefined) yield { path: ['buckets', EVERY_OTHER_BUCKET, 'bucket'], held, allowed };
}

/** Key patterns and prefixes are no protection when the store accepts another spelling of the same key. */
function* undecidedKeys(config: CheckedConfig): Generator<CrossProblem> {
  for (const [backend, restriction] of undecidedBackends(config)) {
    const allowed = `${KEY_KINDS}; it matters since ${restriction} restricts keys`;
    yield { path: ['backends', backend, 'keys'], held: undefined, allowed };
  }
}

function* aliasPrefixes({ backends, buckets }: CheckedConfig): Generator<CrossProblem> {
  for (const [name, { backend, keyPrefix: held = '' }] of Object.entries(buckets)) {
    const problem = backends[backend]?.keys === 'path' ? pathPrefixProblem(held) : undefined;
    const allowed = `a plain path, since ${formatPath(['backends', backend, 'keys'])} is path (${problem})`;
    if (problem !== undefined) yield { path: ['buckets', name, 'keyPrefix'], held, allowed };
  }
}

/** An access point has its own host name, derived from that of the store (docs/semantics.md 232). */
function* accessPointsWithoutHosts({ backends, buckets }: CheckedConfig): Generator<CrossProblem> {
  for (const { backend, bucket: held, path } of placesOfNamed(buckets, backends)) {
    if (!parseAccessPointArn(held)) continue;
    const endpoint = Object.hasOwn(backends, backend) ? backends[backend]?.endpoint : undefined;
    if (endpoint !== undefined && isIP(hostOf(endpoint)) === 0) continue;
    const allowed = `the name of a bucket, since ${formatPath(['backends', backend])} has no host name to make an access point's of`;
    yield { path, held, allowed };
  }
}

/** With virtual addressing the bucket name becomes part of a host name, which is case-insensitive. */
function* namesThatMakeNoHost({ backends, buckets }: CheckedConfig): Generator<CrossProblem> {
  for (const { backend, bucket: held, path } of placesOfNamed(buckets, backends)) {
    const isVirtual = Object.hasOwn(backends, backend) && backends[backend]?.addressing === 'virtual';
    if (!isVirtual || isVirtualHostable(held) || parseAccessPointArn(held)) continue;
    const allowed = `a name that can be part of a host name, as addressing: virtual of ${formatPath(['backends', backend])} has it: small letters, digits, "-" and "." (else addressing: path)`;
    yield { path, held, allowed };
  }
}

function* clientsOnce({ clients }: CheckedConfig): Generator<CrossProblem> {
  const seen = new Set<string>();
  for (const [index, { accessKeyId }] of clients.entries()) {
    const path = ['clients', index, 'accessKeyId'];
    if (seen.has(accessKeyId))
      yield { path, held: accessKeyId, allowed: 'an id that no client before it has' };
    seen.add(accessKeyId);
  }
}

function* unknownClientBuckets(config: CheckedConfig): Generator<CrossProblem> {
  const { clients, buckets } = config;
  const known = new Set([...Object.keys(buckets), EVERY_OTHER_BUCKET]);
  const isOther = otherBucketNames(config);
  const others = Object.hasOwn(buckets, EVERY_OTHER_BUCKET)
    ? ', or a name that "*" stands for: one by the rules for names of buckets, and of no bucket that is configured under another'
    : '';
  const allowed = [...known].map(shownName).join(', ') + others;
  for (const [client, { allow }] of clients.entries()) {
    for (const [grant, { buckets: names }] of allow.entries()) {
      for (const [index, held] of names.entries()) {
        const path = ['clients', client, 'allow', grant, 'buckets', index];
        if (!known.has(held) && !isOther(held)) yield { path, held, allowed };
      }
    }
  }
}

/** Two webhooks on one channel would each use the channel's whole rate limit. */
function* webhooksOnce({ alerts }: CheckedConfig): Generator<CrossProblem> {
  const seen = new Set<string>();
  for (const [index, { url }] of alerts.webhooks.entries()) {
    const path = ['alerts', 'webhooks', index, 'url'];
    if (seen.has(url)) yield { path, held: url, allowed: 'a URL that no webhook before it has' };
    seen.add(url);
  }
}

/** docs/cards.md, Decided: the workflow service gets adaptive cards. */
function* workflowCards({ alerts }: CheckedConfig): Generator<CrossProblem> {
  for (const [index, { service, card }] of alerts.webhooks.entries()) {
    if (service !== 'workflows' || card === 'adaptive') continue;
    yield { path: ['alerts', 'webhooks', index, 'card'], held: card, allowed: 'adaptive, for a workflow' };
  }
}
