import type { HeaderField } from '../s3/dialect.ts';

/** Where a part of a multipart object lies, and what the store says of it alone. */
export interface Part {
  /** First and last byte within the object. */
  readonly first: number;
  readonly last: number;
  /** Checksums of the part (behaviours.md 48). */
  readonly checksums: readonly HeaderField[];
}

/** The parts of one content, as far as they have been asked for. Plain data can be made of it and back. */
export class PartMap {
  readonly #parts = new Map<number, Part>();
  #count: number | undefined;

  constructor(known: Iterable<readonly [number, Part]> = [], count?: number) {
    for (const [number, part] of known) this.#parts.set(number, part);
    this.#count = count;
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
    this.#parts.set(number, part);
    this.#count = count;
  }

  entries(): [number, Part][] {
    return [...this.#parts];
  }
}
