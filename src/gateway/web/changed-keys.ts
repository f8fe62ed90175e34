import type { ObjectKey } from '../../cache/object-key.ts';
import { cacheGroups } from '../../http/cache-tags.ts';
import { utf8Text } from '../../http/utf8-text.ts';
import { fieldValue } from '../../s3/dialect.ts';
import type { AnswerTimes, WebHead } from './stored-answer.ts';
import type { WebQuestion } from './web-fetch.ts';
import type { WebRead } from './web-read.ts';
import type { WebRecords } from './web-records.ts';
import { webTarget, wholeTarget } from './web-target.ts';
import { writtenTargets } from './written-targets.ts';

/** Methods that the registry calls safe (RFC 9110 §16.1); TRACE is refused. */
const safe: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'OPTIONS', 'PROPFIND', 'REPORT', 'SEARCH', 'QUERY'],
]);

/** Whether a request with this method may change something, as far as anybody knows. */
export function mayChange({ method }: Pick<WebQuestion, 'method'>): boolean {
  return !safe.has(method);
}

/** Whether a request has changed what is held (RFC 9111 §4.4). */
export function isChange(question: Pick<WebQuestion, 'method'>, { status }: WebHead): boolean {
  return mayChange(question) && status < 400;
}

/**
 * What `read` has changed is asked for anew (RFC 9111 §4.4, RFC 9875 §3).
 *
 * @param how `unsettle` where nobody knows whether the change is over
 */
export function endChanged(
  records: Pick<WebRecords, 'invalidate' | 'unsettle' | 'invalidateGroups'>,
  read: WebRead,
  head: WebHead,
  times: AnswerTimes,
  how: 'invalidate' | 'unsettle',
): void {
  for (const key of changedKeys(read, head)) records[how](key);
  const groups = cacheGroups(fieldValue(head.fields, 'cache-group-invalidation') ?? '');
  records.invalidateGroups(groups, times);
}

/** The target, and what the answer names of the same origin. */
function changedKeys(read: WebRead, head: WebHead): ObjectKey[] {
  const named = ['location', 'content-location'].flatMap(name => keysOf(read, fieldValue(head.fields, name)));
  return [read.target.key, ...named];
}

/**
 * Whether the answer says that its content is that of the target (RFC 9110 §8.7). It is not where the origin was told more than
 * the key says: a request that changes something is sent with all of its query.
 */
export function isOwnLocation(read: WebRead, head: WebHead): boolean {
  if (wholeTarget(read.address) !== read.target.target) return false;
  const { text } = read.target.key;
  return keysOf(read, fieldValue(head.fields, 'content-location')).some(key => key.text === text);
}

/**
 * What `reference` names, as the origin sees it, which may call itself as the client, the endpoint or its configured `Host` does:
 * spelled as in a parsed URL, and as it is written. None where that is at another origin, or below no bucket.
 */
function keysOf({ address, target, request }: WebRead, reference: string | undefined): ObjectKey[] {
  if (reference === undefined) return [];
  const { bucket, host } = address;
  const { pathPrefix, originHost, host: rule } = bucket.web;
  const url = URL.parse(utf8Text(reference), `http://${originHost}${target.target}`);
  if (!url || !/^https?:$/.test(url.protocol)) return [];
  const hosts = [originHost, host, ...(rule.kind === 'fixed' ? [rule.name] : [])];
  if (!hosts.some(name => URL.parse(`${url.protocol}//${name}`)?.host === url.host)) return [];
  const parsed = { path: url.pathname, query: url.search === '' ? undefined : url.search.slice(1) };
  return [parsed, ...writtenTargets(reference, target.target)].flatMap(named => {
    if (!named.path.startsWith(pathPrefix)) return [];
    const path = named.path.slice(pathPrefix.length);
    return webTarget({ ...address, path, query: named.query }, request.scheme).key;
  });
}
