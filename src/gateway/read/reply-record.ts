import { httpField, type StoreReplyHead, storeField, type WholeReply } from '../../backend/store.ts';
import type { Content } from '../../cache/content.ts';
import type { FreshnessDirectives } from '../../cache/freshness.ts';
import type { ReadableRecord, RefusedRecord, UncacheableRecord } from '../../cache/record.ts';
import { deltaSeconds, parseCacheControl } from '../../http/cache-control.ts';
import { hopByHopFields } from '../../http/hop-by-hop.ts';
import { hostFields } from '../../http/host-fields.ts';
import { parseHttpDate } from '../../http/http-date.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { type ContentHead, isChecksum } from '../fill/content-head.ts';

/** When and how an answer was obtained. */
export interface ReplyContext {
  readonly method: 'GET' | 'HEAD';
  readonly receivedMs: number;
  readonly epoch: number;
}

/**
 * Fields that belong to a connection, a single response, the server or one reader rather than to the object
 * (docs/semantics.md 201, 279; RFC 9111 §3.1 and §7.3). A cookie is for the reader it was sent to. Rate-limit fields,
 * which MinIO sends with each answer, describe the gateway's own quota.
 */
const perReplyHttp = new Set([
  ...hopByHopFields,
  ...hostFields,
  'accept-ranges',
  'age',
  'authentication-info',
  'content-length',
  'content-range',
  'date',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'set-cookie',
  'set-cookie2',
  'x-cache',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]);

/**
 * Store fields of a single response: `request-charged` is about the cost of this request, `mp-parts-count` answers a
 * part number.
 */
const perReplyStore = new Set(['request-id', 'id-2', 'request-charged', 'mp-parts-count']);

/** Creates the record of a readable object from the head of the store's answer. */
export function readableRecord(
  head: ContentHead,
  context: ReplyContext,
  content: Content,
  checksums: 'known' | 'unknown',
): ReadableRecord {
  const fields = objectFields(head).filter(field => checksums === 'known' || !isChecksum(field));
  return {
    kind: 'readable',
    isNegative: false,
    isUsableForGet: context.method === 'GET' || !saysArchived(fields),
    receivedMs: context.receivedMs,
    epoch: context.epoch,
    fields,
    directives: directivesOf(head),
    entityTag: head.entityTag,
    lastModifiedMs: parseHttpDate(httpField(head, 'last-modified') ?? ''),
    sizeBytes: content.sizeBytes,
    versionId: head.versionId,
    checksums,
    isCharged: isCharged(head),
    content,
  };
}

/** Whether the store charged the gateway for this answer (docs/semantics.md 127). */
export function isCharged(head: StoreReplyHead): boolean {
  return storeField(head, 'request-charged') === 'requester';
}

/** Creates the record of a cacheable refusal, see `isRememberedRefusal`. */
export function refusedRecord(reply: WholeReply, context: ReplyContext): RefusedRecord {
  return {
    kind: 'refused',
    isNegative: true,
    isUsableForGet: context.method === 'GET',
    receivedMs: context.receivedMs,
    epoch: context.epoch,
    status: reply.status,
    fields: objectFields(reply),
    directives: directivesOf(reply),
    body: reply.body,
  };
}

/** For records of answers that are not interpreted. */
const noDirectives: FreshnessDirectives = {
  maxAgeS: undefined,
  sMaxAgeS: undefined,
  noCache: false,
  noStore: false,
  expiresMs: undefined,
  restoredUntilMs: undefined,
  initialAgeMs: 0,
};

/**
 * Creates a record that says a read cannot be cached. It stays fresh for the bucket's default lifetime; the directives
 * of the answer do not matter, because none of it is reused.
 */
export function uncacheableRecord({ method, receivedMs, epoch }: ReplyContext): UncacheableRecord {
  return {
    kind: 'uncacheable',
    isNegative: false,
    isUsableForGet: method === 'GET',
    receivedMs,
    epoch,
    fields: [],
    directives: noDirectives,
  };
}

/** docs/semantics.md, Decided 8: only missing, delete marker by id, and archived are cached. */
export function isRememberedRefusal(reply: WholeReply): boolean {
  if (reply.status === 404 || reply.status === 405) return true;
  return reply.status === 403 && reply.body.includes('<Code>InvalidObjectState</Code>');
}

/** Whether these fields are of an object that HEAD describes but GET refuses (docs/semantics.md 165 to 173). */
function saysArchived(fields: readonly HeaderField[]): boolean {
  const value = (name: string) => fields.find(field => field.store && field.name === name)?.value;
  if (value('archive-status') !== undefined) return true;
  const storageClass = value('storage-class');
  if (storageClass !== 'GLACIER' && storageClass !== 'DEEP_ARCHIVE') return false;
  return !value('restore')?.includes('ongoing-request="false"');
}

function objectFields(head: StoreReplyHead): HeaderField[] {
  return head.fields.filter(({ name, store }) => !(store ? perReplyStore : perReplyHttp).has(name));
}

function directivesOf(head: StoreReplyHead): FreshnessDirectives {
  const control = parseCacheControl(httpField(head, 'cache-control'));
  return {
    maxAgeS: control.maxAgeS,
    sMaxAgeS: control.sMaxAgeS,
    noCache: control.noCache,
    noStore: control.noStore || control.private,
    expiresMs: parseHttpDate(httpField(head, 'expires') ?? ''),
    restoredUntilMs: restoredUntilMs(storeField(head, 'restore')),
    initialAgeMs: 1000 * deltaSeconds(httpField(head, 'age')),
  };
}

/** docs/semantics.md 170: `ongoing-request="false", expiry-date="Fri, 21 Dec 2012 00:00:00 GMT"`. */
function restoredUntilMs(restore: string | undefined): number | undefined {
  const date = restore && /expiry-date="([^"]*)"/.exec(restore)?.[1];
  return date ? parseHttpDate(date) : undefined;
}
