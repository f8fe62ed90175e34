import type { ContentCoding } from '../http/content-coding.ts';
import type { Content, Encodings } from './content.ts';

/** Estimated heap cost of knowing one coding. */
const CODING_COST_BYTES = 300;

/** A content that was made of another one; all of it must be in memory to be of use. */
interface MadeContent extends Content {
  readonly costBytes: number;
  readonly heldBytes: number;
  readonly isIdle: boolean;
  retire(): void;
}

/**
 * What came of making it: `no-gain` for a content that would not be smaller, which is not tried again; undefined where it
 * could not be made this time.
 */
export type EncodingOutcome<Made extends MadeContent = MadeContent> = Made | 'no-gain' | undefined;

/**
 * The contents that were made of one content in other codings. They belong to it and go with it, so what is served of them
 * is never older than the content itself, and a purge that ends the one ends all. Each is made once at a time, and again
 * when some of its bytes were evicted.
 */
export class GenerationEncodings<Made extends MadeContent = MadeContent> implements Encodings {
  readonly #encode: (coding: ContentCoding) => Promise<EncodingOutcome<Made>>;
  readonly #onGrown: () => void;
  readonly #made = new Map<ContentCoding, Made>();
  readonly #useless = new Set<ContentCoding>();
  readonly #running = new Map<ContentCoding, Promise<EncodingOutcome<Made>>>();
  #isRetired = false;

  /**
   * @param encode makes the content in a coding; must not reject
   * @param onGrown called when the estimated heap cost has grown
   */
  constructor(
    encode: (coding: ContentCoding) => Promise<EncodingOutcome<Made>>,
    onGrown: () => void = () => undefined,
  ) {
    this.#encode = encode;
    this.#onGrown = onGrown;
  }

  /** Estimated heap cost, without the bytes of blocks. */
  get costBytes(): number {
    let cost = CODING_COST_BYTES * (this.#made.size + this.#useless.size);
    for (const made of this.#made.values()) cost += made.costBytes;
    return cost;
  }

  get heldBytes(): number {
    let held = 0;
    for (const made of this.#made.values()) held += made.heldBytes;
    return held;
  }

  get isIdle(): boolean {
    for (const made of this.#made.values()) if (!made.isIdle) return false;
    return this.#running.size === 0;
  }

  in(coding: ContentCoding): Made | undefined {
    const made = this.#made.get(coding);
    if (made === undefined || made.coverage(0, made.sizeBytes) === 'all') return made;
    this.forget(coding);
    return undefined;
  }

  make(coding: ContentCoding): void {
    void this.made(coding);
  }

  /** The content in `coding`, made now unless it is held. Never rejects. */
  async made(coding: ContentCoding): Promise<EncodingOutcome<Made>> {
    if (this.#useless.has(coding)) return 'no-gain';
    return this.in(coding) ?? this.#running.get(coding) ?? this.#begin(coding);
  }

  forget(coding: ContentCoding): void {
    this.#made.get(coding)?.retire();
    this.#made.delete(coding);
  }

  /** The content itself is not used any more: what is made of it from now on is not kept. */
  retire(): void {
    this.#isRetired = true;
    for (const coding of [...this.#made.keys()]) this.forget(coding);
  }

  #begin(coding: ContentCoding): Promise<EncodingOutcome<Made>> {
    const running = this.#encode(coding).then(outcome => this.#ended(coding, outcome));
    this.#running.set(coding, running);
    return running;
  }

  #ended(coding: ContentCoding, outcome: EncodingOutcome<Made>): EncodingOutcome<Made> {
    this.#running.delete(coding);
    if (outcome === undefined) return undefined;
    if (outcome === 'no-gain') this.#useless.add(coding);
    else if (this.#isRetired) {
      outcome.retire();
      return undefined;
    } else this.#made.set(coding, outcome);
    this.#onGrown();
    return outcome;
  }
}
