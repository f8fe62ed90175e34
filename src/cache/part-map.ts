import type { HeaderField } from '../s3/dialect.ts';

/** Where a part of a multipart object lies, and what the store says of it alone. */
export interface Part {
  /** First and last byte within the object. */
  readonly first: number;
  readonly last: number;
  /** Checksums of the part (behaviours.md 48). */
  readonly checksums: readonly HeaderField[];
}

const PART_COST_BYTES = 180;

/** The parts of one content, as far as they have been asked for. Plain data can be made of it and back. */
export class PartMap {
  readonly #parts = new Map<number, Part>();
  readonly #onGrown: () => void;
  #count: number | undefined;
  #costBytes = 0;

  /** @param onGrown told when the map costs more than before. */
  constructor(
    known: Iterable<readonly [number, Part]> = [],
    count: number | undefined = undefined,
    onGrown: () => void = () => undefined,
  ) {
    for (const [number, part] of known) this.#set(number, part);
    this.#count = count;
    this.#onGrown = onGrown;
  }

  /** Estimated heap that the parts cost. */
  get costBytes(): number {
    return this.#costBytes;
  }

  /** How many parts the object was uploaded in; undefined for one that was not, or as long as no part is known. */
  get count(): number | undefined {
    return this.#count;
  }

  get(number: number): Part | undefined {
    return this.#parts.get(number);
  }

  /** Remembers part `number` of an object of `count` parts; undefined for one that was not uploaded in parts. */
  learn(number: number, part: Part, count: number | undefined): void {
    const beforeBytes = this.#costBytes;
    this.#set(number, part);
    this.#count = count;
    if (this.#costBytes > beforeBytes) this.#onGrown();
  }

  entries(): [number, Part][] {
    return [...this.#parts];
  }

  #set(number: number, part: Part): void {
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
