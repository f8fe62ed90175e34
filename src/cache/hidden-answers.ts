import { isOfServer } from '../http/whose-error.ts';
import type { ObjectRecord, ReadableRecord } from './record.ts';

type Answer = ReadableRecord & { readonly answer: NonNullable<ReadableRecord['answer']> };

/**
 * Which of the answers of one name of a web origin must not be used any more where those in `gone` are not: they came before one of
 * these, or before what that has hidden, and vary otherwise. Whom a newer one answered was not given them, and would be now.
 *
 * @param kept is used in any case
 */
export function hiddenBy(
  gone: Iterable<ObjectRecord>,
  records: ReadonlyMap<string, ObjectRecord>,
  kept?: ObjectRecord,
): readonly string[] {
  const hiding = [...gone].filter(isAnswer);
  if (hiding.length === 0) return [];
  const names: string[] = [];
  const newestFirst = [...records].sort(([, one], [, other]) => other.receivedMs - one.receivedMs);
  for (const [name, record] of newestFirst)
    if (record !== kept && isAnswer(record) && hiding.some(each => mayHide(each, record))) {
      names.push(name);
      hiding.push(record);
    }
  return names;
}

/** Drops from `left`, which is less than `before`, what those that are missing have hidden. */
export function forgetHidden<Kind extends ObjectRecord>(
  before: ReadonlyMap<string, ObjectRecord>,
  left: Map<string, Kind>,
): void {
  const gone = [...before].flatMap(([name, record]) => (left.has(name) ? [] : [record]));
  for (const name of hiddenBy(gone, left)) left.delete(name);
}

function isAnswer(record: ObjectRecord): record is Answer {
  return record.kind === 'readable' && record.answer !== undefined;
}

/** What varies alike is of other readers; an error of the server is never in the place of what is none. */
function mayHide(newer: Answer, older: Answer): boolean {
  if (newer === older || older.receivedMs > newer.receivedMs) return false;
  if (isOfServer(newer.answer.status) && !isOfServer(older.answer.status)) return false;
  return newer.answer.vary.join() !== older.answer.vary.join();
}
