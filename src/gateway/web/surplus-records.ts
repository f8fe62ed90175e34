import { hiddenBy } from '../../cache/hidden-answers.ts';
import type { ObjectRecord, ReadableRecord } from '../../cache/record.ts';
import { isPart } from './asked-range.ts';
import { varyListsOf } from './vary-lists.ts';

/** Different lists of the fields by which answers of one name vary. */
const LISTS_PER_NAME = 8;

/** Parts of one name that are kept for whoever asks for the same range. */
const PARTS_PER_NAME = 8;

/** So many of them that were read again, those that were so last, stay whatever else is asked for. */
const UNDISPLACED_PARTS = 4;

/**
 * The names of what is too much of one name. Each list costs each reader: of an origin that says something else each time, the
 * answers that vary as the last ones do stay. Of parts the oldest goes, but for the few that were read again last: clients choose the ranges.
 *
 * @param newest name of what has just been stored, which stays
 */
export function surplusOf(
  records: ReadonlyMap<string, ObjectRecord>,
  newest: string,
  isReadAgain: (record: ReadableRecord) => boolean,
): readonly string[] {
  const surplus = new Set([...ofOldLists(records), ...partBeyondLimit(records, newest, isReadAgain)]);
  const gone = [...records].filter(([name]) => surplus.has(name));
  return [...surplus, ...hiddenBy(gone, records, records.get(newest))];
}

function ofOldLists(records: ReadonlyMap<string, ObjectRecord>): readonly string[] {
  const lists = varyListsOf(records).filter(({ isOfParts }) => !isOfParts);
  if (lists.length <= LISTS_PER_NAME) return [];
  const old = new Set(lists.slice(0, -LISTS_PER_NAME).map(({ names }) => names.join()));
  return [...records].flatMap(([name, record]) =>
    record.kind === 'readable' && old.has(record.answer?.vary.join() ?? '') ? [name] : [],
  );
}

function partBeyondLimit(
  records: ReadonlyMap<string, ObjectRecord>,
  newest: string,
  isReadAgain: (record: ReadableRecord) => boolean,
): readonly string[] {
  const parts = [...records].flatMap(([name, record]) =>
    record.kind === 'readable' && isPart(record) ? [{ name, record }] : [],
  );
  if (parts.length <= PARTS_PER_NAME) return [];
  const readAgain = parts.filter(({ record }) => isReadAgain(record)).slice(-UNDISPLACED_PARTS);
  const others = parts.filter(part => part.name !== newest && !readAgain.includes(part));
  const [oldest] = others.sort((one, other) => one.record.receivedMs - other.record.receivedMs);
  return oldest ? [oldest.name] : [];
}
