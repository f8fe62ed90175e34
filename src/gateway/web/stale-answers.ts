import { servedOnErrorUntilMs } from '../../cache/freshness.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import { isReusable } from '../../cache/reuse.ts';
import { isStrongTag } from '../../http/entity-tag.ts';
import {
  evaluatePreconditions,
  heedsConditions,
  ifRangeHolds,
  strongValidators,
} from '../../http/preconditions.ts';
import { parseRange } from '../../http/range.ts';
import { asksForConfirmed, holdsWhatIsRead } from '../read/held-answers.ts';
import type { LookupOutcome } from '../request/cache-status.ts';
import { isPart } from './asked-range.ts';
import { meetsDemands, ownConditions } from './demands.ts';
import { dateMsOf, validatorsOf } from './made-answer.ts';
import type { WebRead } from './web-read.ts';

/** Whether `record` may answer `read` where the origin fails: what is given must not be cut off. */
export function mayServeOnError(record: ReadableRecord, read: WebRead, nowMs: number): boolean {
  if (record.isWithdrawn || asksForConfirmed(read.directives) || !meetsDemands(record, read)) return false;
  return servedOnErrorUntilMs(record, read.policy, nowMs) > nowMs && holdsWhatIsAsked(record, read);
}

/** Whether `record` answers `read` without a question to the origin: all of it, for a client that wants only what is held. */
export function answersNow(record: ReadableRecord, read: WebRead, nowMs = read.nowMs): boolean {
  const { policy, directives } = read;
  if (!isReusable(record, policy, directives, nowMs) || !meetsDemands(record, read)) return false;
  return !directives?.onlyIfCached || holdsWhatIsAsked(record, read);
}

/** Whether what `read` is answered with of `record`, by its conditions, has bytes that are missing. */
export function wantsMissing(record: ReadableRecord, read: WebRead): boolean {
  const { ifRange } = read.fields;
  const fields = ownConditions(read.fields);
  const isJudged = fields.isConditional && heedsConditions(record.answer?.status ?? 200);
  if (isJudged && evaluatePreconditions(fields, validatorsOf(record), read.nowMs).kind === 'not-modified')
    return false;
  const isOfRange =
    ifRange !== undefined && ifRangeHolds(ifRange, strongValidators(record, dateMsOf(record)));
  const asked = { method: read.method, fields: isOfRange ? { ...fields, ifRange: undefined } : fields };
  return !holdsWhatIsAsked(record, asked);
}

/** Whether all bytes of `record` that `read` asks for are at hand. */
export function holdsWhatIsAsked(
  record: ReadableRecord,
  { method, fields }: Pick<WebRead, 'method' | 'fields'>,
): boolean {
  if (isPart(record)) return holdsAll(record);
  const { range, ifRange } = fields;
  return holdsWhatIsRead(record, {
    method: method === 'HEAD' ? 'HEAD' : 'GET',
    partNumber: undefined,
    range: parseRange(ifRange === undefined ? range : undefined),
  });
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
