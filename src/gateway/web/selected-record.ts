import { isMoreRecent } from '../../cache/most-recent.ts';
import type { ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import { isPart } from './asked-range.ts';
import { tellsOfServer } from './made-answer.ts';
import { isComplete } from './stale-answers.ts';
import { varyListsOf } from './vary-lists.ts';
import type { WebRead } from './web-read.ts';

interface Selected {
  readonly name: string;
  readonly record: ReadableRecord;
}

/**
 * The most recent answer among those of `records` that the request selects, fresh or stale (RFC 9111 §4). Undefined where its bytes
 * cannot be had: an older one is not what the origin has said last.
 * One that may be about another request alone, such as an error that varies by nothing, is never in the place of what is held.
 *
 * @param epoch of what is not outdated
 */
export function selectedOf(
  records: ReadonlyMap<string, ObjectRecord>,
  read: WebRead,
  epoch: number,
): Selected | undefined {
  const latest = latestOf(records, read, epoch);
  return latest && isComplete(latest.record) ? latest : undefined;
}

/** The same, whether or not its bytes can be had. */
export function latestOf(
  records: ReadonlyMap<string, ObjectRecord>,
  read: WebRead,
  epoch: number,
): Selected | undefined {
  let latest: Selected | undefined;
  for (const { names } of varyListsOf(records)) {
    const name = read.variantName(names);
    const record = records.get(name);
    if (record?.kind !== 'readable' || record.epoch !== epoch) continue;
    if (isBetter(record, latest?.record)) latest = { name, record };
  }
  return latest;
}

/** Whether `record` is given in any case to who selects both. */
export function isGivenBefore(record: ReadableRecord, other: ReadableRecord): boolean {
  return isBetter(record, other) && !isBetter(other, record);
}

function isBetter(record: ReadableRecord, other: ReadableRecord | undefined): boolean {
  if (!other) return true;
  const mayBeOfOther = tellsOfServer(record);
  if (mayBeOfOther !== tellsOfServer(other)) return !mayBeOfOther;
  if (isMoreRecent(record, other)) return true;
  // of what came at the same time the whole counts, and not a part
  return !isMoreRecent(other, record) && (isPart(other) || !isPart(record));
}
