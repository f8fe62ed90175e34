import type { Content, Encodings } from '../../cache/content.ts';
import type { ContentCoding } from '../../http/content-coding.ts';

/** Estimated heap cost of knowing one coding. */
const CODING_COST_BYTES = 300;

/** How many reads pass before an owner that could not make a coding is asked again: each question costs as much as a few hits. */
const READS_BETWEEN = 16;

/** The contents that another worker has made of one that it owns. What it does not hold any more shows when it is read. */
export class RemoteEncodings<Made extends Content & { readonly costBytes: number }> implements Encodings {
  readonly #ask: (coding: ContentCoding) => Promise<Made | 'no-gain' | undefined>;
  readonly #onGrown: () => void;
  readonly #known = new Map<ContentCoding, Made | 'no-gain'>();
  readonly #asked = new Set<ContentCoding>();
  /** How many reads are still to pass. */
  readonly #passing = new Map<ContentCoding, number>();

  /**
   * @param ask has the owner make the content in a coding
   * @param onGrown called when the estimated heap cost has grown
   */
  constructor(
    ask: (coding: ContentCoding) => Promise<Made | 'no-gain' | undefined>,
    onGrown: () => void = () => undefined,
  ) {
    this.#ask = ask;
    this.#onGrown = onGrown;
  }

  get costBytes(): number {
    let cost = CODING_COST_BYTES * this.#known.size;
    for (const known of this.#known.values()) if (known !== 'no-gain') cost += known.costBytes;
    return cost;
  }

  in(coding: ContentCoding): Made | undefined {
    const known = this.#known.get(coding);
    return known === 'no-gain' ? undefined : known;
  }

  /** Asks once at a time. An owner that is lost, or has another content by now, makes nothing. */
  make(coding: ContentCoding): void {
    if (this.#known.has(coding) || this.#asked.has(coding)) return;
    const passing = this.#passing.get(coding) ?? 0;
    this.#passing.set(coding, passing - 1);
    if (passing > 0) return;
    this.#asked.add(coding);
    this.#ask(coding).then(
      made => this.#answered(coding, made),
      () => this.#answered(coding, undefined),
    );
  }

  forget(coding: ContentCoding): void {
    this.#known.delete(coding);
  }

  #answered(coding: ContentCoding, made: Made | 'no-gain' | undefined): void {
    this.#asked.delete(coding);
    this.#passing.set(coding, made === undefined ? READS_BETWEEN : 0);
    if (made === undefined) return;
    this.#known.set(coding, made);
    this.#onGrown();
  }
}
