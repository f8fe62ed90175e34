import { servedOnErrorUntilMs } from '../../cache/freshness.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { isReusable } from '../../cache/reuse.ts';
import { isStrongTag } from '../../http/entity-tag.ts';
import { asksForConfirmed } from '../read/held-answers.ts';
import type { LookupOutcome } from '../request/cache-status.ts';
import { meetsDemands } from './demands.ts';
import { givenOf } from './given-answer.ts';
import type { UnfinishedNames } from './unfinished-names.ts';
import type { WebRead } from './web-read.ts';

/** Whether `record` may answer `read` where the origin fails: what is given must not be cut off. */
export function mayServeOnError(record: ReadableRecord, read: WebRead, nowMs: number): boolean {
  if (record.isWithdrawn || asksForConfirmed(read.directives) || !meetsDemands(record, read)) return false;
  return servedOnErrorUntilMs(record, read.policy, nowMs) > nowMs && !wantsMissing(record, read);
}

/** Whether `record` answers `read` without a question to the origin: all of it, for a client that wants only what is held. */
export function answersNow(record: ReadableRecord, read: WebRead, nowMs = read.nowMs): boolean {
  const { policy, directives } = read;
  if (!isReusable(record, policy, directives, nowMs) || !meetsDemands(record, read)) return false;
  return !directives?.onlyIfCached || !wantsMissing(record, read);
}

/** Whether what `read` is answered with of `record` has bytes that are missing. */
export function wantsMissing(record: ReadableRecord, read: WebRead): boolean {
  const given = givenOf(record, read);
  if (given.kind === 'part') return record.content.coverage(given.first, given.last + 1) !== 'all';
  return given.kind === 'whole' && read.method !== 'HEAD' && !holdsAll(record);
}

/** The same where the rest could lately not be had: whoever wants it asks for itself. */
export function wantsUnfinished(
  record: ReadableRecord,
  read: WebRead,
  unfinished: Pick<UnfinishedNames, 'has'>,
  nowMs: number,
): boolean {
  return unfinished.has(read.target.key, nowMs) && wantsMissing(record, read);
}

/** Whether all bytes are at hand: what is not waited for must not be cut off. */
export function holdsAll({ content, sizeBytes }: ReadableRecord): boolean {
  return sizeBytes === 0 || content.coverage(0, sizeBytes) === 'all';
}

/** Whether all bytes can be had: those without a strong tag cannot be fetched again in part, and are of no use when some are lost. */
export function isComplete(record: ReadableRecord): boolean {
  return isStrongTag(record.entityTag) || holdsAll(record);
}

/** A stale answer is given. */
export function staleOutcome(use: LookupOutcome['staleUse']): LookupOutcome {
  return {
    ...{ how: 'stale', staleUse: use, forwarded: undefined, forwardStatus: undefined },
    ...{ isCollapsed: false, isStored: false, isCharged: false },
  };
}
