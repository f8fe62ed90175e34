import { bucketText, type ObjectKey, objectKey, type WebSlots } from '../../cache/object-key.ts';
import { groupTag } from '../../cache/tag-slots.ts';
import { percentDecode } from '../../s3/percent-decode.ts';
import { isHost } from '../../s3/well-formed.ts';
import type { Bucket, QueryRules, WebRules, WebsiteRules } from '../request/bucket.ts';
import type { BucketTable } from '../request/bucket-table.ts';

/** A bucket at a web origin. */
export type WebBucket = Bucket & { readonly web: WebRules; readonly epochs: WebSlots };

/** What a request to a web origin addresses, in the client's words. */
export interface WebAddress {
  readonly bucket: WebBucket;
  /** As received; what does not begin with a slash is refused (`targetProblem`). */
  readonly path: string;
  /** Without the question mark; undefined where there is none. */
  readonly query: string | undefined;
  /** In lower case; empty where HTTP/1.0 names none. */
  readonly host: string;
}

const absoluteForm = /^(?:https?):\/\/([^/?#]+)(.*)$/i;

/**
 * Whether OPTIONS with this request target asks about the server as a whole: `*`, or the absolute form of that, which has
 * neither path nor query (RFC 9112 §3.2.4).
 */
export function isServerAsWhole(url: string): boolean {
  return url === '*' || absoluteForm.exec(url)?.[2] === '';
}

/**
 * The web origin that a request addresses: by the first segment of its path, by its host below `domain`, or as the one that
 * has the whole path space. Undefined for requests to other buckets.
 *
 * @param url the request target as received; the host of one in absolute form counts (RFC 9112 §3.2.2)
 */
export function webAddressOf(
  url: string,
  hostField: string | undefined,
  domain: string | undefined,
  buckets: BucketTable,
): WebAddress | undefined {
  const [, named, rest = ''] = url.startsWith('/') ? [] : (absoluteForm.exec(url) ?? []);
  const target = named === undefined ? url : rest.startsWith('/') ? rest : `/${rest}`;
  const host = (named ?? hostField ?? '').toLowerCase();
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? undefined : target.slice(mark + 1);
  const { root } = buckets;
  if (root && isWeb(root)) return { bucket: root, path, query, host };
  const inHost = bucketInHost(host, domain, buckets);
  if (inHost) return { bucket: inHost, path, query, host };
  if (!path.startsWith('/')) return undefined;
  const slash = path.indexOf('/', 1);
  const bucket = buckets.find(slash < 0 ? path.slice(1) : path.slice(1, slash));
  if (!bucket || !isWeb(bucket)) return undefined;
  return { bucket, path: slash < 0 ? '/' : path.slice(slash), query, host };
}

function bucketInHost(host: string, domain: string | undefined, buckets: BucketTable): WebBucket | undefined {
  const [name = ''] = host.split(':', 1);
  if (domain === undefined || !name.endsWith(`.${domain}`)) return undefined;
  const bucket = buckets.find(name.slice(0, -domain.length - 1));
  return bucket && isWeb(bucket) ? bucket : undefined;
}

/** Whether a bucket is at a web origin. */
export function isWeb(bucket: Bucket): bucket is WebBucket {
  return bucket.web !== undefined;
}

/** The document that browsers get of a folder, where the bucket is a website. */
export function documentOf(address: WebAddress): WebAddress {
  const { bucket, path } = address;
  const document = documentPath(path, bucket.website);
  return document === path ? address : { ...address, path: document };
}

/** The same of a path. */
export function documentPath(path: string, website: Pick<WebsiteRules, 'index'> | undefined): string {
  return website && path.endsWith('/') ? path + website.index : path;
}

/** What of an address is sent to the origin as request target, and what names it in the cache. */
export interface WebTarget {
  /** Path and query at the origin. */
  readonly target: string;
  readonly key: ObjectKey;
}

/**
 * The name of an answer in the cache says all that the origin is told of where the request was sent: path, the query
 * as far as it is passed on, and scheme and host where the origin learns these. So nothing that is left out of the name reaches
 * the origin with a GET.
 *
 * @param scheme of the client's request
 */
export function webTarget(address: WebAddress, scheme: string): WebTarget {
  const { bucket, path, query, host } = documentOf(address);
  const { web, store, bucketAtStore, epochs } = bucket;
  const asked = path + keyedQuery(query, web.query);
  const name = tellsHost(web) ? `${scheme}://${host}${asked}` : asked;
  const key = objectKey({ backend: store.identity, bucket: bucketAtStore }, name, epochs);
  // cut out of the key, which keeps nothing of the client's URL
  return { target: web.pathPrefix + key.key.slice(name.length - asked.length), key };
}

/** The target at the origin of a request whose answer is not looked for in the cache: with all of its query. */
export function wholeTarget({ bucket, path, query }: WebAddress): string {
  return bucket.web.pathPrefix + path + (query === undefined ? '' : `?${query}`);
}

/** Where a cache group of an origin has its barriers. */
export type GroupSlots = (group: string) => number;

/** The groups of the origin that a request asks, as clients know it. @param scheme of the client's request */
export function groupSlotsOf({ bucket, host }: WebAddress, scheme: string): GroupSlots {
  const { web, store, bucketAtStore, epochs } = bucket;
  const name = bucketText({ backend: store.identity, bucket: bucketAtStore });
  const origin = tellsHost(web) ? `${name}${scheme}://${host}` : name;
  return group => epochs.groupSlot(groupTag(origin, group));
}

/** Whether the origin learns which host and scheme the client asked, so that these belong to the key. */
export function tellsHost({ host, forwarded }: WebRules): boolean {
  return host.kind === 'client' || forwarded;
}

/** What is told of a stored answer's origin request; the reverse of `webTarget`. */
export function targetOfKey({ web }: WebBucket, { key }: Pick<ObjectKey, 'key'>) {
  const { scheme, host, asked, path } = partsOfKey(key);
  return { path, target: web.pathPrefix + asked, scheme, host };
}

/**
 * The object that GET of `key` is answered with: a path with its query as clients spell them, behind scheme and host where the
 * origin learns these.
 */
export function webKeyOf(bucket: WebBucket, key: string): ObjectKey {
  const { address, scheme } = addressOfPage({ bucket, key });
  return webTarget(address, scheme).key;
}

/** What an operator names: see `webKeyOf`. */
export interface WebPage {
  readonly bucket: WebBucket;
  readonly key: string;
}

/** What a client that asks for it addresses. Where the origin learns neither scheme nor host, these may be empty. */
export function addressOfPage({ bucket, key }: WebPage): {
  readonly address: WebAddress;
  readonly scheme: string;
} {
  const { scheme, host, path, query } = partsOfKey(key);
  const address = { bucket, path: path === '' ? '/' : path, query, host: host.toLowerCase() };
  return { address, scheme: scheme.toLowerCase() };
}

/** Why nobody can ask for a page, as an error code: no client may send it, or it leaves out what the origin is to learn. */
export function pageProblem(page: WebPage): 'INVALID_URI' | 'NO_HOST' | undefined {
  const { address } = addressOfPage(page);
  if (address.host === '' && tellsHost(page.bucket.web)) return 'NO_HOST';
  return targetProblem(documentOf(address)) === undefined ? undefined : 'INVALID_URI';
}

/** The parts of a key. Where the origin learns neither scheme nor host, these are empty. */
export function partsOfKey(key: string) {
  const [, scheme = '', host = '', asked = key] = /^(https?):\/\/([^/?]*)(.*)$/is.exec(key) ?? [];
  const mark = asked.indexOf('?');
  const [path, query] = mark < 0 ? [asked, undefined] : [asked.slice(0, mark), asked.slice(mark + 1)];
  return { scheme, host, asked, path, query };
}

/** The part of a raw query that counts, with its question mark; parameters stay as they are spelled. */
export function keyedQuery(query: string | undefined, { names, isSorted }: QueryRules): string {
  if (query === undefined) return '';
  if (names === 'all' && !isSorted) return `?${query}`;
  const parameters = query.split('&').map(text => ({ text, name: nameOf(text) }));
  // forms write a plus for a blank
  const isNamed = ({ text, name }: Parameter) =>
    names === 'all' || names.has(name) || names.has(nameOf(text.replaceAll('+', ' ')));
  const kept = parameters.filter(isNamed);
  const inOrder = isSorted ? sorted(kept) : kept;
  return inOrder.length === 0 ? '' : `?${inOrder.map(({ text }) => text).join('&')}`;
}

/** Stable: what several parameters of one name mean may depend on their order. Forms and others read a plus differently. */
function sorted(parameters: readonly Parameter[]): readonly Parameter[] {
  const named = parameters.map(({ text, name }) => ({ text, name: name.replaceAll('+', ' ') }));
  return named.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}

interface Parameter {
  readonly text: string;
  readonly name: string;
}

function nameOf(parameter: string): string {
  const raw = parameter.split('=', 1)[0] ?? '';
  try {
    return percentDecode(raw);
  } catch {
    return raw;
  }
}

/** A name of 253 characters, and a port (RFC 1035 §2.3.4). */
const LONGEST_HOST = 260;

const visible = /^[\x21-\x22\x24-\x7e]*$/;

/**
 * Why a target is not passed on: it has characters that no target has (RFC 9112 §3.2), or would leave the prefix of its
 * bucket. Undefined where it is.
 */
export function targetProblem({ bucket, path, query = '', host }: WebAddress): string | undefined {
  // one in absolute form takes the place of Host
  if (host !== '' && !(host.length <= LONGEST_HOST && isHost(host))) return 'an invalid host';
  if (!path.startsWith('/') || !visible.test(path + query)) return 'an invalid target';
  if (bucket.web.pathPrefix === '') return undefined;
  const plain = path.replace(/%2e/gi, '.').replace(/%2f|%5c|\\/gi, '/');
  return /(?:^|\/)\.\.?(?:$|[/;])/.test(plain) ? 'a path with dots' : undefined;
}
