import { attach } from '../../base/attach.ts';
import type { ObjectRecord } from '../../cache/record.ts';
import { ASKED_RANGE } from './asked-range.ts';

/** Fields by which some of the answers that are held of one name are selected. */
interface VaryList {
  readonly names: readonly string[];
  /** Whether they are parts, each for one range. */
  readonly isOfParts: boolean;
}

/** The records of one name. Which they are does not change: what is stored or forgotten makes another map. */
type Records = ReadonlyMap<string, ObjectRecord> & { readonly [LISTS]?: readonly VaryList[] };

const LISTS = Symbol('vary lists');

/** The different lists of fields by which `records` vary, that of the record which came last behind the others. */
export function varyListsOf(records: Records): readonly VaryList[] {
  return records[LISTS] ?? attach(records, LISTS, differentLists(records));
}

function differentLists(records: Records): readonly VaryList[] {
  const lists = new Map<string, VaryList & { readonly latestMs: number }>();
  for (const record of records.values()) {
    if (record.kind !== 'readable' || record.answer === undefined) continue;
    const { vary: names } = record.answer;
    const text = names.join();
    const latestMs = Math.max(record.receivedMs, lists.get(text)?.latestMs ?? 0);
    lists.delete(text);
    lists.set(text, { names, latestMs, isOfParts: names.includes(ASKED_RANGE) });
  }
  return [...lists.values()].sort((one, other) => one.latestMs - other.latestMs);
}
