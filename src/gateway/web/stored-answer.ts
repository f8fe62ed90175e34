import type { StoreReplyHead } from '../../backend/store.ts';
import type { Content } from '../../cache/content.ts';
import { freshUntilMs, servedInBackgroundUntilMs, servedOnErrorUntilMs } from '../../cache/freshness.ts';
import type { Asking, ReadableRecord } from '../../cache/record.ts';
import { isReusable } from '../../cache/reuse.ts';
import { type FreshnessDirectives, statedFreshness } from '../../cache/stated-freshness.ts';
import { tagSlotsOf } from '../../cache/tag-slots.ts';
import type { CacheControl } from '../../http/cache-control.ts';
import { cacheGroups, tagsOfField } from '../../http/cache-tags.ts';
import { contentDigests } from '../../http/content-digests.ts';
import { formatHttpDate, parseCachedDate } from '../../http/http-date.ts';
import { heedsConditions } from '../../http/preconditions.ts';
import { parseRange, selectRange } from '../../http/range.ts';
import { statedControl } from '../../http/targeted-cache-control.ts';
import { traceFieldNames } from '../../http/trace-context.ts';
import { parseVary, type Vary } from '../../http/vary.ts';
import { fieldValue, type HeaderField } from '../../s3/dialect.ts';
import { readContentHead } from '../fill/content-head.ts';
import type { CachePolicy } from '../request/cache-policy.ts';
import { ASKED_RANGE, withoutRange } from './asked-range.ts';
import type { WebRead } from './web-read.ts';
import type { GroupSlots } from './web-target.ts';

/** An answer's head, read once. */
export interface WebHead extends StoreReplyHead {
  readonly control: CacheControl;
  /** Expires, where that counts. */
  readonly expires: string | undefined;
  readonly vary: Vary;
}

export function readWebHead(head: StoreReplyHead): WebHead {
  const stated = statedControl(name => fieldValue(head.fields, name));
  return { ...head, ...stated, vary: tellableVary(parseVary(fieldValue(head.fields, 'vary'))) };
}

/** `head` as one that varies by `names` as well, which the origin has named for the same page. */
export function varyingBy(head: WebHead, names: Vary): WebHead {
  const vary = joinedVary(head.vary, names);
  if (vary === head.vary || (vary !== '*' && vary.length === head.vary.length)) return head;
  const told = { name: 'vary', value: vary === '*' ? vary : vary.join(', '), store: false };
  return { ...head, vary, fields: renewed(head.fields, [told]) };
}

/** More names than there may be are `*`. */
export function joinedVary(one: Vary, other: Vary): Vary {
  if (one === '*' || other === '*') return '*';
  return parseVary([...new Set([...one, ...other])].join());
}

/** What a page varies by, by `vary` of one answer and what is known else; where that is too much to be named, that answer counts. */
export function knownVary(vary: Vary, selectors: readonly string[]): Vary {
  const joined = joinedVary(vary, selectors);
  return joined === '*' ? vary : joined;
}

/** Traces differ from question to question: nobody has asked the same, be they the client's or those of spans of the gateway's own. */
function tellableVary(vary: Vary): Vary {
  return vary !== '*' && vary.some(name => traceFieldNames.has(name)) ? '*' : vary;
}

/** When an origin was asked, and what was known then. */
export interface AnswerTimes extends Asking {
  /** Of that origin. */
  readonly groupSlots: GroupSlots;
  readonly requestedMs: number;
  readonly receivedMs: number;
}

/** What an origin has answered, before its body. */
export interface ArrivedHead {
  readonly head: WebHead;
  readonly times: AnswerTimes;
}

/** Whether an answer is a stream of events, which does not end unless it has a length (HTML Living Standard §9.2). */
export function isEventStream({ fields }: WebHead, lengthBytes: number | undefined): boolean {
  const type = fieldValue(fields, 'content-type') ?? '';
  return lengthBytes === undefined && /^text\/event-stream\s*(;|$)/i.test(type);
}

/** Whether an answer is ever served from the cache: it is fresh, can be confirmed, or may be served stale. */
export function isOfUse(head: WebHead, policy: CachePolicy, times: AnswerTimes): boolean {
  const record = { ...freshnessOf({ head, times }), isUnsettled: false };
  const { entityTag, lastModifiedMs } = record;
  const { receivedMs } = times;
  if (heedsConditions(head.status) && (entityTag !== undefined || lastModifiedMs !== undefined)) return true;
  const until = [freshUntilMs, servedOnErrorUntilMs, servedInBackgroundUntilMs];
  return until.some(untilMs => untilMs(record, policy, receivedMs) > receivedMs);
}

/** Whether an answer, were it stored, would answer `read` without a question (RFC 9111 §4). */
export function wouldAnswer(arrived: ArrivedHead, { policy, directives }: WebRead, nowMs: number): boolean {
  return isReusable(freshnessOf(arrived), policy, directives, nowMs);
}

function freshnessOf({ head, times }: ArrivedHead) {
  const { receivedMs, isUnsettled } = times;
  const { status } = head;
  return {
    ...describe(head.fields, head, times),
    ...{ receivedMs, isUnsettled, answer: { status }, isNegative: false },
  };
}

/**
 * The record of an answer whose content is `content`.
 *
 * @param status as which it is served: 206 for a part that is kept as it is, for whoever asks for the same range
 */
export function storedAnswer(
  head: WebHead,
  status: number,
  content: Content,
  times: AnswerTimes,
): ReadableRecord {
  const { fields, control, vary } = head;
  const { receivedMs } = times;
  const isPart = status === 206;
  const ofContent = head.status === 206 && !isPart ? fields.filter(({ name }) => !isOfPart(name)) : fields;
  const described = describe(storedFields(ofContent, control, receivedMs), head, times);
  return {
    ...described,
    ...(isPart && { directives: unguessed(described.directives) }),
    kind: 'readable',
    isNegative: false,
    isUsableForGet: true,
    epoch: times.epoch,
    barrier: times.barrier,
    isUnsettled: times.isUnsettled,
    receivedMs,
    sizeBytes: content.sizeBytes,
    versionId: undefined,
    checksums: 'known',
    isCharged: false,
    content,
    answer: { status, vary: isPart ? [ASKED_RANGE, ...namesOf(vary)] : namesOf(vary) },
  };
}

/**
 * `record` after the origin has confirmed it, by a 304 or in answer to HEAD: fields that came with that replace those of
 * their name (RFC 9111 §3.2, §4.3.4). Its content was selected by all that it has varied by before, whatever is named now, which
 * RFC 9110 §15.4.5 wants to be the same.
 */
export function confirmedAnswer(record: ReadableRecord, head: WebHead, times: AnswerTimes): ReadableRecord {
  const { answer } = record;
  const { status = 200 } = answer ?? {};
  // a targeted field that is stored says what counts, though the news have another
  const { control } = readWebHead({ status, fields: renewed(record.fields, head.fields) });
  const news = storedFields(head.fields, control, times.receivedMs).filter(
    ({ name }) => !ofContent.has(name),
  );
  const before = withoutRange(answer?.vary ?? []);
  const merged = varyingBy(readWebHead({ status, fields: renewed(record.fields, news) }), before);
  // what the stored answer names as one client's own is that still, where the news do not say otherwise
  const fields = merged.fields.filter(({ name }) => !isOfOneClient(name, merged.control));
  // how old it is, this answer alone says
  const age = head.fields.filter(({ name }) => name === 'age');
  return {
    ...record,
    ...describe(fields, { ...merged, fields: [...fields, ...age] }, times),
    ...(answer && { answer: { ...answer, vary: namesOf(merged.vary) } }),
    receivedMs: times.receivedMs,
    staleFromMs: undefined,
    epoch: times.epoch,
    barrier: times.barrier,
    isUnsettled: times.isUnsettled,
    isWithdrawn: false,
  };
}

/** `fields` with `news` in the place of those of their names. */
function renewed(fields: readonly HeaderField[], news: readonly HeaderField[]): readonly HeaderField[] {
  const names = new Set(news.map(({ name }) => name));
  return [...fields.filter(({ name }) => !names.has(name)), ...news];
}

/** `head`, which has confirmed `record`, as the whole answer to whoever has asked; undefined where that is what all are told. */
export function wholeFor(head: WebHead, record: ReadableRecord): WebHead | undefined {
  const { status = 200 } = record.answer ?? {};
  const { control } = readWebHead({ status, fields: record.fields });
  const own = head.fields.filter(({ name }) => isOfOneClient(name, control));
  return own.length === 0 ? undefined : { ...head, status, fields: [...record.fields, ...own] };
}

/** What whoever has asked is told: digests of a part where it gets just that. */
export function toldTo(
  { fields }: WebRead,
  { sizeBytes }: ReadableRecord,
  head: WebHead,
): readonly HeaderField[] {
  if (head.status !== 206) return head.fields;
  const { range } = readContentHead(head);
  const asked = selectRange(parseRange(fields.range), sizeBytes);
  const isAsked = asked.kind === 'part' && asked.first === range?.first && asked.last === range.last;
  return head.fields.filter(({ name }) => name !== 'content-range' && (isAsked || !contentDigests.has(name)));
}

/** Of a part nothing is guessed: it is fresh as long as it, or the configuration, says. */
export function unguessed(directives: FreshnessDirectives): FreshnessDirectives {
  return { ...directives, unchangedForMs: undefined };
}

/** What varies by all is not stored. */
export function namesOf(vary: Vary): readonly string[] {
  return vary === '*' ? [] : vary;
}

/** Fields that tell of the stored content, which a confirmation does not change (RFC 9111 §3.2). */
const ofContent: ReadonlySet<string> = new Set([
  ...contentDigests,
  'content-encoding',
  'content-range',
  'content-type',
  'etag',
]);

/** Fields of one answer, not of what is stored. */
const perAnswer: ReadonlySet<string> = new Set([
  'age',
  'authentication-info',
  'cache-status',
  'content-length',
  'via',
  'x-cache',
]);

/**
 * What is stored of an answer's fields (RFC 9111 §3.1). Where a 206 is not kept as it is, those that tell of its bytes are none of
 * these, see `isOfPart`; in answers of another status Content-Range means nothing, and is kept as any field (RFC 9110 §14.4).
 */
export function storedFields(
  fields: readonly HeaderField[],
  control: CacheControl,
  receivedMs: number,
): HeaderField[] {
  const kept = fields.filter(({ name }) => !perAnswer.has(name) && !isOfOneClient(name, control));
  return datedBy(kept, receivedMs);
}

/** The same with a date: who receives an answer without one gives it that of the arrival (RFC 9110 §6.6.1). */
export function datedBy(fields: readonly HeaderField[], receivedMs: number): HeaderField[] {
  const isDated = fields.some(({ name }) => name === 'date');
  return isDated
    ? [...fields]
    : [...fields, { name: 'date', value: formatHttpDate(receivedMs), store: false }];
}

/** Whether a field of a 206 tells of the bytes that it brings. */
function isOfPart(name: string): boolean {
  return name === 'content-range' || contentDigests.has(name);
}

/** Whether a field is for whoever has asked alone (RFC 9111 §5.2.2.4, §5.2.2.7). */
function isOfOneClient(name: string, { privateFields, noCacheFields }: CacheControl): boolean {
  return privateFields.includes(name) || noCacheFields.includes(name);
}

/** The slots of what an answer can be purged by. */
export function tagSlotsOfAnswer(fields: readonly HeaderField[], groupSlots: GroupSlots): readonly number[] {
  const tags = fields.flatMap(({ name, value }) => tagsOfField(name, value));
  const groups = cacheGroups(fieldValue(fields, 'cache-groups') ?? '');
  return tagSlotsOf(tags, groups.map(groupSlots));
}

/** What the fields say of validators and freshness. */
export function describe(
  fields: readonly HeaderField[],
  head: WebHead,
  { groupSlots, requestedMs, receivedMs }: AnswerTimes,
): Pick<ReadableRecord, 'fields' | 'directives' | 'entityTag' | 'lastModifiedMs' | 'tagSlots'> {
  const { status, control } = head;
  const lastModified = fieldValue(fields, 'last-modified');
  const stated = statedFreshness({
    ...{ status, control, requestedMs, receivedMs, lastModified },
    expires: head.expires,
    age: fieldValue(head.fields, 'age'),
    date: fieldValue(head.fields, 'date'),
  });
  return {
    fields,
    tagSlots: tagSlotsOfAnswer(fields, groupSlots),
    directives: { ...stated, noStore: false },
    entityTag: fieldValue(fields, 'etag'),
    lastModifiedMs: lastModified === undefined ? undefined : parseCachedDate(lastModified, receivedMs),
  };
}
