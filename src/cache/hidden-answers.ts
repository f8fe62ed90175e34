import { textsOfName } from '../base/length-prefixed.ts';
import { isOfServer } from '../http/whose-error.ts';
import { isMoreRecent } from './most-recent.ts';
import type { ObjectRecord } from './record.ts';

interface Answer {
  readonly name: string;
  readonly status: number;
  readonly record: ObjectRecord;
  /** By which it varies. */
  readonly fields: string;
}

export type NamedRecord = readonly [name: string, record: ObjectRecord];

/**
 * Which of the answers of one name of a web origin must not be used any more where those in `gone` are not: they are older than one of
 * these, or before what that has hidden, and vary otherwise. Whom a newer one answered was not given them, and would be now.
 *
 * @param kept is used in any case
 */
export function hiddenBy(
  gone: Iterable<NamedRecord>,
  records: ReadonlyMap<string, ObjectRecord>,
  kept?: ObjectRecord,
): readonly string[] {
  const hiding = [...gone].flatMap(answerOf);
  if (hiding.length === 0) return [];
  const left = new Set([...records].filter(([, record]) => record !== kept).flatMap(answerOf));
  const hidden: string[] = [];
  for (let hides = hiding.pop(); hides; hides = hiding.pop())
    for (const other of left)
      if (mayHide(hides, other)) {
        left.delete(other);
        hidden.push(other.name);
        hiding.push(other);
      }
  return hidden;
}

/** Drops from `left`, which is less than `before`, what those that are missing have hidden, but for `kept`. */
export function forgetHidden<Kind extends ObjectRecord>(
  before: ReadonlyMap<string, ObjectRecord>,
  left: Map<string, Kind>,
  kept?: ObjectRecord,
): void {
  const gone = [...before].filter(([name]) => !left.has(name));
  for (const name of hiddenBy(gone, left, kept)) left.delete(name);
}

function answerOf([name, record]: NamedRecord): Answer[] {
  if (record.kind !== 'readable' || !record.answer) return [];
  const { status, vary } = record.answer;
  return [{ name, record, status, fields: vary.join() }];
}

/** What varies alike is of other readers; an error of the server is never in the place of what is none. */
function mayHide(newer: Answer, older: Answer): boolean {
  if (isMoreRecent(older.record, newer.record) || newer.fields === older.fields) return false;
  if (isOfServer(newer.status) && !isOfServer(older.status)) return false;
  return maySelectBoth(newer.name, older.name);
}

/** Whether one request can select both variants: no field has two values. */
function maySelectBoth(one: string, other: string): boolean {
  const others = valuesOf(other);
  for (const [field, value] of valuesOf(one))
    if (others.has(field) && others.get(field) !== value) return false;
  return true;
}

/** The fields that select a variant, by its name, see `variantName`. */
function valuesOf(name: string): ReadonlyMap<string | undefined, string | undefined> {
  const texts = textsOfName(textsOfName(name)?.[0] ?? '') ?? [];
  return new Map(texts.flatMap((field, at) => (at % 2 === 0 ? [[field, texts[at + 1]] as const] : [])));
}
