import { freshUntilMs } from '../../cache/freshness.ts';
import { isStrongTag } from '../../http/entity-tag.ts';
import { type ContentRange, parseContentRange, parseRange } from '../../http/range.ts';
import { fieldValue } from '../../s3/dialect.ts';
import { readContentHead } from '../fill/content-head.ts';
import { hasOtherLength } from '../fill/ranged-read.ts';
import type { CachePolicy } from '../request/cache-policy.ts';
import { askedRange } from './asked-range.ts';
import { COLLECTED_LIMIT_BYTES } from './collected-body.ts';
import { type ArrivedHead, describe, unguessed, type WebHead } from './stored-answer.ts';
import type { WebQuestion } from './web-fetch.ts';

/**
 * Whether a 206 is kept as it is, for whoever asks for the same range (RFC 9111 §3.3): one without a strong tag, which nothing can be
 * combined with (§3.4). It has to be the range that was asked for, as far as that can be told (RFC 9110 §15.3.7), and it, or the
 * configuration, has to say for how long it is fresh: it is never confirmed.
 *
 * @param question as the origin has got it: a 206 to one without a range is no answer to it
 */
export function isKeptPart(
  { read, fields }: Pick<WebQuestion, 'read' | 'fields'>,
  arrived: ArrivedHead,
): boolean {
  const { head } = arrived;
  if (isStrongTag(fieldValue(head.fields, 'etag')) || askedRange(read) === undefined) return false;
  const part = partOf(head);
  if (!part || !isOfAsked(part, fieldValue(fields, 'range'))) return false;
  const { maxObjectSizeBytes } = read.policy;
  const sizeBytes = lengthOf(part);
  if (sizeBytes > COLLECTED_LIMIT_BYTES || Math.max(sizeBytes, part.total ?? 0) > maxObjectSizeBytes)
    return false;
  return !hasOtherLength(readContentHead(head), sizeBytes) && isFreshAsStated(arrived, read.policy);
}

/** Whether so many bytes are all of what a 206 says that it brings. */
export function isAllOfPart(head: WebHead, sizeBytes: number): boolean {
  const part = partOf(head);
  return part !== undefined && lengthOf(part) === sizeBytes;
}

function partOf({ status, fields }: WebHead): ContentRange | undefined {
  return status === 206 ? parseContentRange(fieldValue(fields, 'content-range')) : undefined;
}

function lengthOf({ first, last }: ContentRange): number {
  return last - first + 1;
}

/** An origin may send less than was asked for. */
function isOfAsked(part: ContentRange, asked: string | undefined): boolean {
  const range = parseRange(asked);
  if (range.kind === 'absent') return false;
  if (range.kind === 'from') return part.first === range.first && part.last <= (range.last ?? Infinity);
  const { total } = part;
  const isLast =
    total === undefined || (part.last === total - 1 && part.first === Math.max(0, total - range.length));
  return isLast && lengthOf(part) <= range.length;
}

function isFreshAsStated({ head, times }: ArrivedHead, policy: CachePolicy): boolean {
  const { fields, status } = head;
  const { receivedMs, isUnsettled } = times;
  const directives = unguessed(describe(fields, head, times).directives);
  const record = { fields, directives, receivedMs, isUnsettled, isNegative: false, answer: { status } };
  return freshUntilMs(record, policy, receivedMs) > receivedMs;
}
