import type { WholeReply } from '../../backend/store.ts';
import type { Content } from '../../cache/content.ts';
import type { FreshnessDirectives } from '../../cache/freshness.ts';
import type { Asked, ReadableRecord, RefusedRecord, UncacheableRecord } from '../../cache/record.ts';
import { deltaSeconds, parseCacheControl } from '../../http/cache-control.ts';
import { hopByHopFields } from '../../http/hop-by-hop.ts';
import { hostFields } from '../../http/host-fields.ts';
import { parseHttpDate } from '../../http/http-date.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { type ContentHead, isChecksum, keptContent, readContentHead } from '../fill/content-head.ts';

/** When and how an answer was obtained. */
interface ReplyContext extends Asked {
  readonly method: 'GET' | 'HEAD';
  readonly receivedMs: number;
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
  return {
    kind: 'readable',
    isNegative: false,
    isUsableForGet: context.method === 'GET' || !saysArchived(head),
    receivedMs: context.receivedMs,
    epoch: context.epoch,
    isUnsettled: context.isUnsettled,
    fields: objectFields(head, checksums === 'known'),
    directives: directivesOf(head),
    entityTag: head.entityTag,
    lastModifiedMs: parseHttpDate(head.http.get('last-modified') ?? ''),
    sizeBytes: content.sizeBytes,
    versionId: head.versionId,
    checksums,
    isCharged: head.isCharged,
    content,
  };
}

/** Creates the record of a cacheable refusal, see `isRememberedRefusal`. */
export function refusedRecord(reply: WholeReply, context: ReplyContext): RefusedRecord {
  const head = readContentHead(reply);
  return {
    kind: 'refused',
    isNegative: true,
    isUsableForGet: context.method === 'GET',
    receivedMs: context.receivedMs,
    epoch: context.epoch,
    isUnsettled: context.isUnsettled,
    status: reply.status,
    fields: objectFields(head, true),
    directives: directivesOf(head),
    body: reply.body,
  };
}

/** For records of answers that are not interpreted. */
const noDirectives: FreshnessDirectives = {
  maxAgeS: undefined,
  sMaxAgeS: undefined,
  noCache: false,
  noStore: false,
  mustRevalidate: false,
  staleIfErrorS: undefined,
  expiresMs: undefined,
  restoredUntilMs: undefined,
  initialAgeMs: 0,
};

/**
 * Creates a record that says a read cannot be cached. It stays fresh for the bucket's default lifetime; the directives
 * of the answer do not matter, because none of it is reused.
 */
export function uncacheableRecord(
  head: ContentHead,
  { method, receivedMs, epoch, isUnsettled }: ReplyContext,
): UncacheableRecord {
  return {
    kind: 'uncacheable',
    isNegative: false,
    tooLargeBytes: keptContent(head, Infinity)?.sizeBytes,
    isUsableForGet: method === 'GET',
    receivedMs,
    epoch,
    isUnsettled,
    fields: [],
    directives: noDirectives,
  };
}

/** docs/semantics.md, Decided 8: only missing, delete marker by id, and archived are cached. */
export function isRememberedRefusal(reply: WholeReply): boolean {
  if (reply.status === 404 || reply.status === 405) return true;
  return reply.status === 403 && reply.body.includes('<Code>InvalidObjectState</Code>');
}

/** Whether an answer is about an object that HEAD describes but GET refuses (docs/semantics.md 165 to 173). */
function saysArchived({ store }: ContentHead): boolean {
  if (store.has('archive-status')) return true;
  const storageClass = store.get('storage-class');
  if (storageClass !== 'GLACIER' && storageClass !== 'DEEP_ARCHIVE') return false;
  return !store.get('restore')?.includes('ongoing-request="false"');
}

function objectFields({ fields }: ContentHead, withChecksums: boolean): HeaderField[] {
  const kept: HeaderField[] = [];
  for (const field of fields) {
    const isPerReply = (field.store ? perReplyStore : perReplyHttp).has(field.name);
    if (!isPerReply && (withChecksums || !isChecksum(field))) kept.push(field);
  }
  return kept;
}

function directivesOf({ http, store }: ContentHead): FreshnessDirectives {
  const control = parseCacheControl(http.get('cache-control'));
  return {
    maxAgeS: control.maxAgeS,
    sMaxAgeS: control.sMaxAgeS,
    noCache: control.noCache,
    noStore: control.noStore || control.private,
    mustRevalidate: control.mustRevalidate,
    staleIfErrorS: control.staleIfErrorS,
    expiresMs: expiresMs(http.get('expires')),
    restoredUntilMs: restoredUntilMs(store.get('restore')),
    initialAgeMs: 1000 * deltaSeconds(http.get('age')),
  };
}

/** RFC 9111 §5.3: an invalid date, such as 0, is in the past. */
function expiresMs(expires: string | undefined): number | undefined {
  return expires === undefined ? undefined : (parseHttpDate(expires) ?? 0);
}

/** docs/semantics.md 170: `ongoing-request="false", expiry-date="Fri, 21 Dec 2012 00:00:00 GMT"`. */
function restoredUntilMs(restore: string | undefined): number | undefined {
  const date = restore && /expiry-date="([^"]*)"/.exec(restore)?.[1];
  return date ? parseHttpDate(date) : undefined;
}
