import { recordName } from '../../cache/record.ts';
import { parseRange } from '../../http/range.ts';
import { isKeyTooLong, keyTooLong } from '../../s3/address.ts';
import { hasStoreParameters } from '../../s3/operation.ts';
import type { Query } from '../../s3/query.ts';
import { RequestFields } from '../../s3/request-fields.ts';
import { objectKeyOf, type WebsiteRules } from './bucket.ts';
import { type ClientRead, originTold, type Page, visibilityOf } from './client-read.ts';
import type { Located } from './locate.ts';
import type { ObjectRead } from './object-read.ts';

/** What a request to a website means. */
export type PageRequest =
  | {
      readonly kind: 'page';
      readonly key: string;
      readonly folderIndex: string | undefined;
      readonly rules: WebsiteRules;
    }
  /** The bucket without the slash behind it: links of its document would be about another folder. */
  | { readonly kind: 'redirect'; readonly location: string };

/**
 * What a request means where browsers read the bucket as a website; undefined for what is asked of a store: signed requests,
 * other methods, and whatever names a parameter or a field of the S3 API. Other parameters are ignored, as by website
 * endpoints.
 *
 * @throws S3Error KeyTooLongError
 */
export function pageRequest(
  { exchange, fields, address, bucket, caller }: Located,
  query: Query,
): PageRequest | undefined {
  const { website } = bucket;
  if (!website || caller.kind !== 'anonymous' || fields.store !== undefined) return undefined;
  if ((exchange.method !== 'GET' && !exchange.isHead) || hasStoreParameters(query)) return undefined;
  const key = address.kind === 'object' ? address.key : '';
  if (key === '' && !pathOf(exchange.url).endsWith('/'))
    return { kind: 'redirect', location: withSlash(exchange.url) };
  const rules = website;
  if (key === '' || key.endsWith('/'))
    return { kind: 'page', key: indexOf(key, website.index), folderIndex: undefined, rules };
  const folderIndex = `${key}/${website.index}`;
  const mayBeFolder = website.redirects && !isKeyTooLong(folderIndex);
  return { kind: 'page', key, folderIndex: mayBeFolder ? folderIndex : undefined, rules };
}

/** Who may read a page is told when it is missing: whether it is there is no secret then. */
export function pageRead(client: ClientRead, page: Page): ClientRead {
  return { ...client, page, mayKnowMissing: client.isAllowed };
}

/** A read of another object of the same bucket, as a whole. */
export function readOfKey({ read, fields }: ClientRead, key: string, method: 'GET' | 'HEAD'): ObjectRead {
  const { bucket } = read;
  const rules = bucket.rulesFor(key);
  const variant = { ...read.variant, origin: originTold(rules, fields) };
  return {
    ...read,
    method,
    policy: rules.cache,
    objectKey: objectKeyOf(bucket, key),
    variant,
    recordName: recordName(read.versionId, variant, method),
    range: parseRange(undefined),
    ifRange: undefined,
    isConditional: false,
  };
}

/**
 * The read of the document that takes the place of an error of `status`; undefined where there is none, or the caller must
 * not read it. Conditions and ranges are about the page that is not there (RFC 9110 §13.2.1, §14.2).
 *
 * @param otherwise answers with the error itself
 */
export function errorPage(
  client: ClientRead,
  page: Page,
  status: number,
  otherwise: () => void,
): ClientRead | undefined {
  const { permissions } = page;
  const { error, errorFor } = page.rules;
  if (error === undefined || !errorFor.includes(status) || !permissions.allowsRead(error, undefined))
    return undefined;
  const { fields, read } = client;
  const plain = new RequestFields([]);
  plain.acceptEncoding = fields.acceptEncoding;
  plain.cacheControl = fields.cacheControl;
  const range = parseRange(undefined);
  return {
    ...client,
    ...{ fields: plain, range, status, page: { ...page, otherwise }, isAllowed: true, mayKnowMissing: true },
    rules: read.bucket.rulesFor(error),
    visibility: visibilityOf(read.bucket, error, permissions, false),
    read: readOfKey(client, error, read.method),
  };
}

function indexOf(folder: string, index: string): string {
  const key = folder + index;
  if (isKeyTooLong(key)) throw keyTooLong(Buffer.byteLength(key));
  return key;
}

/** A request target in either form (RFC 9112 §3.2): its path, and the rest. */
const target = /^(?:https?:\/\/[^/?]*)?([^?]*)(.*)$/is;

function pathOf(url: string): string {
  return target.exec(url)?.[1] ?? '';
}

/**
 * The request target with a slash behind its path, as a reference to the same host: two slashes at its beginning would name
 * another one (RFC 3986 §4.2).
 */
export function withSlash(url: string): string {
  const [, path = '', query = ''] = target.exec(url) ?? [];
  return `${/^\/[/\\]/.test(path) ? '/.' : ''}${path}/${query}`;
}
