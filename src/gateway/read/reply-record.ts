import { httpField, type StoreReplyHead, storeField, type WholeReply } from '../../backend/store.ts';
import type { Content } from '../../cache/content.ts';
import type { FreshnessDirectives } from '../../cache/freshness.ts';
import type { ReadableRecord, RefusedRecord, UncacheableRecord } from '../../cache/record.ts';
import { deltaSeconds, parseCacheControl } from '../../http/cache-control.ts';
import { hopByHopFields } from '../../http/hop-by-hop.ts';
import { parseHttpDate } from '../../http/http-date.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { type ContentHead, isChecksum } from '../fill/content-head.ts';

/** When and how an answer was had. */
export interface ReplyContext {
  readonly method: 'GET' | 'HEAD';
  readonly receivedMs: number;
  readonly epoch: number;
}

/**
 * Fields of one connection, one reply, one server or one reader, not of the object (docs/semantics.md 201, 279; RFC
 * 9111 §3.1 and §7.3). A cookie that the store gives to one reader is no other's; RFC 7838 has Alt-Svc speak of the
 * server. What is left of a rate limit is the gateway's own at that moment (MinIO says it with each answer).
 */
const perReplyHttp = new Set([
  ...hopByHopFields,
  'accept-ranges',
  'age',
  'alt-svc',
  'authentication-info',
  'content-length',
  'content-range',
  'date',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'server',
  'set-cookie',
  'set-cookie2',
  'via',
  'x-cache',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
]);

/** Store fields of one reply; `request-charged` says what this very request cost, `mp-parts-count` answers a part number. */
const perReplyStore = new Set(['request-id', 'id-2', 'request-charged', 'mp-parts-count']);

/** Makes the record of a readable object from the head of the store's answer. */
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
    answersGet: context.method === 'GET' || !saysArchived(fields),
    receivedMs: context.receivedMs,
    epoch: context.epoch,
    fields,
    directives: directivesOf(head),
    entityTag: head.entityTag,
    lastModifiedMs: parseHttpDate(httpField(head, 'last-modified') ?? ''),
    sizeBytes: content.sizeBytes,
    versionId: head.versionId,
    checksums,
    content,
  };
}

/** Makes the record of a refusal that may be remembered, see `isRememberedRefusal`. */
export function refusedRecord(reply: WholeReply, context: ReplyContext): RefusedRecord {
  return {
    kind: 'refused',
    isNegative: true,
    answersGet: context.method === 'GET',
    receivedMs: context.receivedMs,
    epoch: context.epoch,
    status: reply.status,
    fields: objectFields(reply),
    directives: directivesOf(reply),
    body: reply.body,
  };
}

/** What a record holds of an answer that is not looked into. */
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
 * Remembers that answers to a read cannot be kept, for as long as the bucket keeps what says nothing of its own: what the
 * answer says of itself does not matter, since none of it is used again.
 */
export function passedRecord({ method, receivedMs, epoch }: ReplyContext): UncacheableRecord {
  return {
    kind: 'passed',
    isNegative: false,
    answersGet: method === 'GET',
    receivedMs,
    epoch,
    fields: [],
    directives: noDirectives,
  };
}

/** docs/semantics.md, Decided 8: missing, delete marker by id, and archived; no other refusal is remembered. */
export function isRememberedRefusal(reply: WholeReply): boolean {
  if (reply.status === 404 || reply.status === 405) return true;
  return reply.status === 403 && reply.body.includes('<Code>InvalidObjectState</Code>');
}

/** Whether these fields are of an object that HEAD shows and GET refuses (docs/semantics.md 165 to 173). */
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
