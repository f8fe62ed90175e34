import type { PurgeBarriers } from '../../cache/purge-barriers.ts';
import { type ObjectRecord, recordCostBytes } from '../../cache/record.ts';
import { RemoteContent } from './remote-content.ts';
import type { ToldFrom } from './told-records.ts';

/** Answers that are kept beside what is told of one object: clients choose their names. */
const MOST_ANSWERS = 64;

/** A content that is of no use under a name, and the number of the last question to the owner by then. */
interface Voided {
  readonly contentId: number;
  readonly number: number;
}

/** Estimated heap cost of a record that another worker has told, without its content. */
const ENTRY_COST_BYTES = 200;

/**
 * What the owner tells of one object, decoded. It holds as long as that text is told (`SlotTexts.isStillTold`), and so do the owner's
 * answers under names that are not in it, since the owner tells anew whatever changes. After that its contents stay of use, for
 * the places of their blocks.
 */
export class ToldObject {
  /** Undefined where nothing is told: then there are contents alone. */
  readonly from: ToldFrom | undefined;
  readonly #text: string;
  readonly #contents: RemoteContent[];
  #records: Map<string, ObjectRecord>;
  #answers = 0;
  /** The barriers up to this one have been applied to the records. */
  #barrier: number;
  /** By name, what must not be used until the owner has answered a later question. */
  readonly #voided = new Map<string, Voided>();

  /**
   * @param text `ObjectKey.text`
   * @param barrier the barriers up to this one have been applied
   * @param before what was told before: what is void there may be told still
   */
  constructor(
    text: string,
    from: ToldFrom | undefined,
    records: ReadonlyMap<string, ObjectRecord>,
    contents: readonly RemoteContent[],
    barrier: number,
    before?: ToldObject,
  ) {
    this.#text = text;

    this.from = from;
    this.#records = new Map(records);
    this.#contents = [...contents];
    this.#barrier = barrier;
    if (!before) return;
    for (const [name, voided] of before.#voided)
      if (contentIdOf(this.#records.get(name)) === voided.contentId) this.#voided.set(name, voided);
  }

  get costBytes(): number {
    let bytes = ENTRY_COST_BYTES + 2 * this.#text.length;
    for (const [name, record] of this.#records) bytes += recordCostBytes(record) + 2 * name.length;
    for (const { costBytes } of this.#contents) bytes += costBytes;
    return bytes;
  }

  /** What is known under `name` after all purges. */
  record(name: string, barriers: PurgeBarriers): ObjectRecord | undefined {
    if (this.#barrier !== barriers.latest) this.#apply(barriers);
    const record = this.#records.get(name);
    const voided = this.#voided.get(name);
    return voided && voided.contentId === contentIdOf(record) ? undefined : record;
  }

  content(contentId: number): RemoteContent | undefined {
    return this.#contents.find(content => content.contentId === contentId);
  }

  /** Remembers the content of an answer; of too many the oldest goes. */
  add(content: RemoteContent): void {
    this.#contents.push(content);
    if (this.#contents.length > MOST_ANSWERS) this.#contents.shift();
  }

  /** The owner has answered question `number` about `name`; what is told is right by then. */
  answered(name: string, number: number): void {
    if ((this.#voided.get(name)?.number ?? 0) < number) this.#voided.delete(name);
  }

  /** What the owner has answered while the text was told, under a name that is not in it. */
  learn(name: string, record: ObjectRecord, barriers: PurgeBarriers): void {
    const standing = barriers.applied(this.#text, record);
    if (!standing || this.#records.has(name) || this.#answers === MOST_ANSWERS) return;
    this.#answers++;
    this.#records.set(name, standing);
  }

  /**
   * What is known under `name` is not used any more, if it is of that content.
   *
   * @param number of the last question to the owner: a later one has its answer after the owner has learned why
   */
  void(name: string, contentId: number, number: number): void {
    if (contentIdOf(this.#records.get(name)) === contentId) this.#voided.set(name, { contentId, number });
  }

  #apply(barriers: PurgeBarriers): void {
    const { standing = this.#barrier } = barriers;
    this.#records = barriers.appliedToAll(this.#text, this.#records) ?? this.#records;
    this.#barrier = standing;
  }
}

function contentIdOf(record: ObjectRecord | undefined): number | undefined {
  return record?.kind === 'readable' && record.content instanceof RemoteContent
    ? record.content.contentId
    : undefined;
}
