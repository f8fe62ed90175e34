import type { WholeReply } from '../../backend/store.ts';
import type { Content } from '../../cache/content.ts';
import type { Asked, ReadableRecord, RefusedRecord, UncacheableRecord } from '../../cache/record.ts';
import { type FreshnessDirectives, nothingStated, statedFreshness } from '../../cache/stated-freshness.ts';
import { tagSlotsOf } from '../../cache/tag-slots.ts';
import { commaSeparatedTags, tagsOfField } from '../../http/cache-tags.ts';
import { contentDigests } from '../../http/content-digests.ts';
import { hopByHopFields } from '../../http/hop-by-hop.ts';
import { hostFields } from '../../http/host-fields.ts';
import { parseHttpDate } from '../../http/http-date.ts';
import { refusalToStore } from '../../http/storability.ts';
import { type StatedControl, statedControl } from '../../http/targeted-cache-control.ts';
import type { HeaderField } from '../../s3/dialect.ts';
import { type ContentHead, isChecksum, keptContent, readContentHead } from '../fill/content-head.ts';

/** When and how an answer was obtained. */
interface ReplyContext extends Asked {
  readonly method: 'GET' | 'HEAD';
  readonly requestedMs: number;
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
    barrier: context.barrier,
    isUnsettled: context.isUnsettled,
    tagSlots: tagSlotsOf(tagsOf(head)),
    fields: objectFields(head, context.method, checksums === 'known'),
    directives: directivesOf(head, context),
    entityTag: head.entityTag,
    lastModifiedMs: parseHttpDate(head.http.get('last-modified') ?? ''),
    sizeBytes: content.sizeBytes,
    versionId: head.versionId,
    checksums,
    isCharged: head.isCharged,
    content,
  };
}

/** Creates the record of a cacheable refusal, see `isRefusalOfObject`. */
export function refusedRecord(reply: WholeReply, context: ReplyContext): RefusedRecord {
  const head = readContentHead(reply);
  return {
    kind: 'refused',
    isNegative: true,
    isUsableForGet: context.method === 'GET',
    receivedMs: context.receivedMs,
    epoch: context.epoch,
    barrier: context.barrier,
    isUnsettled: context.isUnsettled,
    tagSlots: tagSlotsOf(tagsOf(head)),
    status: reply.status,
    fields: objectFields(head, context.method, true),
    // whatever else it says, it is remembered for `negativeTtl` (docs/semantics.md, Decided 8)
    directives: { ...nothingStated, noStore: isNotStored(head) },
    body: reply.body,
  };
}

/**
 * Creates a record that says a read cannot be cached. It stays fresh for the bucket's default lifetime; the directives
 * of the answer do not matter, because none of it is reused.
 */
export function uncacheableRecord(
  head: ContentHead,
  { method, receivedMs, epoch, barrier, isUnsettled }: ReplyContext,
): UncacheableRecord {
  return {
    kind: 'uncacheable',
    isNegative: false,
    tooLargeBytes: keptContent(head, Infinity)?.sizeBytes,
    isUsableForGet: method === 'GET',
    receivedMs,
    epoch,
    barrier,
    isUnsettled,
    tagSlots: tagSlotsOf(tagsOf(head)),
    fields: [],
    directives: nothingStated,
  };
}

/** Whether an answer is about the content of `record`, whichever part of it. */
export function isOf({ entityTag, sizeBytes }: ReadableRecord, head: ContentHead): boolean {
  return entityTag === head.entityTag && sizeBytes === head.sizeBytes;
}

/** Whether an answer says what has become of the object: missing, delete marker by id, archived (docs/semantics.md, Decided 8). */
export function isRefusalOfObject(reply: WholeReply): boolean {
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

/** Metadata whose value is tags, as in `Cache-Tag`: stores keep it with the object where they do not keep that field. */
const TAG_METADATA = 'meta-cache-tag';

/** What the object can be purged by. */
export function tagsOf({ fields }: Pick<ContentHead, 'fields'>): readonly string[] {
  return fields.flatMap(({ name, value, store }) => {
    if (store) return name === TAG_METADATA ? commaSeparatedTags(value) : [];
    return tagsOfField(name, value);
  });
}

/** @param isOfWhole whether the answer is about the whole object */
function objectFields({ fields }: ContentHead, method: 'GET' | 'HEAD', isOfWhole: boolean): HeaderField[] {
  const kept: HeaderField[] = [];
  for (const field of fields) {
    const isPerReply = (field.store ? perReplyStore : perReplyHttp).has(field.name);
    const isDigest = !field.store && contentDigests.has(field.name);
    const isOfThis = isDigest ? isOfWhole && method === 'GET' : isOfWhole || !isChecksum(field);
    if (!isPerReply && isOfThis) kept.push(field);
  }
  return kept;
}

/**
 * What an object says of its freshness. Its Date does not count: the store itself was asked, and `ttl` is to mean the same
 * whatever its clock says. `no-cache` with names of fields counts like that without (RFC 9111 §5.2.2.4, §5.2.2.7), so that all
 * fields are the store's.
 */
function directivesOf(head: ContentHead, { requestedMs, receivedMs }: ReplyContext): FreshnessDirectives {
  const { http, store, status } = head;
  const { control, expires } = controlOf(head);
  const stated = statedFreshness({
    ...{ status, control, expires, requestedMs, receivedMs },
    age: http.get('age'),
    date: undefined,
    lastModified: http.get('last-modified'),
  });
  return {
    ...stated,
    noCache: control.noCache || control.noCacheFields.length > 0,
    noStore: isNotStored(head),
    mayAssume: true,
    restoredUntilMs: restoredUntilMs(store.get('restore')),
  };
}

function isNotStored(head: ContentHead): boolean {
  const { control } = controlOf(head);
  return control.privateFields.length > 0 || refusalToStore(head.status, control) !== undefined;
}

function controlOf({ http }: ContentHead): StatedControl {
  return statedControl(name => http.get(name));
}

/** docs/semantics.md 170: `ongoing-request="false", expiry-date="Fri, 21 Dec 2012 00:00:00 GMT"`. */
function restoredUntilMs(restore: string | undefined): number | undefined {
  const date = restore && /expiry-date="([^"]*)"/.exec(restore)?.[1];
  return date ? parseHttpDate(date) : undefined;
}
