import type { HeaderField } from '../s3/dialect.ts';

/** The position of a part within a multipart object, and its own checksums. */
export interface Part {
  /** First and last byte within the object. */
  readonly first: number;
  readonly last: number;
  /** Checksums of the part (docs/semantics.md 48). */
  readonly checksums: readonly HeaderField[];
}

const PART_COST_BYTES = 180;

/** The known parts of one content. Can be converted to plain data and back. */
export class PartMap {
  /** Most contents have none. */
  #parts: Map<number, Part> | undefined;
  readonly #onGrown: () => void;
  readonly #beforeLearned: () => void;
  #count: number | undefined;
  #costBytes = 0;

  /**
   * @param onGrown called when the estimated heap cost has grown
   * @param beforeLearned called before anything is learned
   */
  constructor(
    known: Iterable<readonly [number, Part]> = [],
    count: number | undefined = undefined,
    onGrown: () => void = () => undefined,
    beforeLearned: () => void = () => undefined,
  ) {
    for (const [number, part] of known) this.#set(number, part);
    this.#count = count;
    this.#onGrown = onGrown;
    this.#beforeLearned = beforeLearned;
  }

  /** Estimated heap that the parts cost. */
  get costBytes(): number {
    return this.#costBytes;
  }

  /** Number of parts of the upload; undefined while no part is known, and for an object not uploaded in parts. */
  get count(): number | undefined {
    return this.#count;
  }

  get(number: number): Part | undefined {
    return this.#parts?.get(number);
  }

  /** Stores part `number` of an object of `count` parts; `count` is undefined for an object not uploaded in parts. */
  learn(number: number, part: Part, count: number | undefined): void {
    this.#beforeLearned();
    const beforeBytes = this.#costBytes;
    this.#set(number, part);
    this.#count = count;
    if (this.#costBytes > beforeBytes) this.#onGrown();
  }

  /** How many parts are known. */
  get known(): number {
    return this.#parts?.size ?? 0;
  }

  entries(): [number, Part][] {
    return [...(this.#parts ?? [])];
  }

  /** The entry of part `number`, if that is asked for and known. */
  entriesOf(number: number | undefined): [number, Part][] {
    const part = number === undefined ? undefined : this.#parts?.get(number);
    return number === undefined || !part ? [] : [[number, part]];
  }

  #set(number: number, part: Part): void {
    this.#parts ??= new Map();
    const before = this.#parts.get(number);
    this.#costBytes += costOf(part) - (before ? costOf(before) : 0);
    this.#parts.set(number, part);
  }
}

function costOf({ checksums }: Part): number {
  let costBytes = PART_COST_BYTES;
  for (const { name, value } of checksums) costBytes += 64 + 2 * (name.length + value.length);
  return costBytes;
}
