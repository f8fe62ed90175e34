import type { ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import { isPart } from './asked-range.ts';
import { isComplete } from './stale-answers.ts';
import { varyListsOf } from './vary-lists.ts';
import type { WebRead } from './web-read.ts';

interface Selected {
  readonly name: string;
  readonly record: ReadableRecord;
}

/**
 * The answer that came last among those of `records` that the request selects, fresh or stale, whose bytes can be had (RFC 9111 §4).
 *
 * @param epoch of what is not outdated
 */
export function selectedOf(
  records: ReadonlyMap<string, ObjectRecord>,
  read: WebRead,
  epoch: number,
): Selected | undefined {
  let selected: Selected | undefined;
  for (const { names } of varyListsOf(records)) {
    const name = read.variantName(names);
    const record = records.get(name);
    if (record?.kind !== 'readable' || record.epoch !== epoch || !isComplete(record)) continue;
    if (cameLater(record, selected?.record)) selected = { name, record };
  }
  return selected;
}

/** Of what came at the same time the whole counts, and not a part. */
function cameLater(record: ReadableRecord, other: ReadableRecord | undefined): boolean {
  if (!other || record.receivedMs !== other.receivedMs)
    return record.receivedMs > (other?.receivedMs ?? -Infinity);
  return isPart(other) || !isPart(record);
}
