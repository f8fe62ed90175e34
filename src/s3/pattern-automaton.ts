const BITS_OF_WORD = 32;

/** How a text matched: the whole pattern, the beginning of a possible match, or not at all. */
type Reach = 'whole' | 'part' | 'nothing';

/**
 * A pattern as an automaton with its states in the bits of a few integers ("shift-and", Baeza-Yates and Gonnet 1992):
 * state n is active when the first n tokens match what was read. Each character costs two operations per 32 tokens,
 * independent of pattern and text, and reading allocates nothing.
 */
export class PatternAutomaton {
  readonly #last: number;
  readonly #atStart: Int32Array;
  /** Tokens that may match the empty string. */
  readonly #stars: Int32Array;
  /** Tokens that also match a slash. */
  readonly #doubleStars: Int32Array;
  /** By UTF-16 code unit, the tokens that are this character. */
  readonly #literals: ReadonlyMap<number, Int32Array>;
  readonly #ofAscii: readonly Int32Array[];
  readonly #none: Int32Array;
  readonly #reached: Int32Array;

  /** @param tokens `*`, `**` or one UTF-16 code unit each; stars are never adjacent. */
  constructor(tokens: readonly string[]) {
    this.#last = tokens.length;
    const marked = (isMarked: (token: string) => boolean) => bitsOf(tokens, isMarked);
    this.#stars = marked(token => token.startsWith('*'));
    this.#doubleStars = marked(token => token === '**');
    this.#none = marked(() => false);
    const characters = new Set(tokens.filter(token => !token.startsWith('*')));
    this.#literals = new Map(
      Array.from(characters, character => [character.charCodeAt(0), marked(token => token === character)]),
    );
    this.#ofAscii = Array.from({ length: 128 }, (_, code) => this.#literals.get(code) ?? this.#none);
    this.#atStart = marked(() => false);
    this.#atStart[0] = tokens[0]?.startsWith('*') ? 0b11 : 0b1;
    this.#reached = new Int32Array(this.#atStart.length);
  }

  /**
   * Reads `text` from `start` and tells whether it matches the whole pattern, could match with more text, or cannot
   * match any more.
   */
  read(text: string, start: number): Reach {
    this.#reached.set(this.#atStart);
    for (let at = start; at < text.length; at += 1) {
      if (!this.#step(text.charCodeAt(at))) return 'nothing';
    }
    const word = this.#reached[this.#last >>> 5] ?? 0;
    return (word >>> (this.#last % BITS_OF_WORD)) & 1 ? 'whole' : 'part';
  }

  /** Processes one character; false when no state is active any more. */
  #step(code: number): boolean {
    const reached = this.#reached;
    const literals = (code < 128 ? this.#ofAscii[code] : this.#literals.get(code)) ?? this.#none;
    const staying = code === 0x2f ? this.#doubleStars : this.#stars;
    let any = 0;
    // the bit carried from one word to the next
    let carried = 0;
    for (let word = 0; word < reached.length; word += 1) {
      const before = reached[word] ?? 0;
      const matched = before & (literals[word] ?? 0);
      let after = (matched << 1) | (before & (staying[word] ?? 0)) | carried;
      // stars are never adjacent, so one pass is enough
      const skipped = after & (this.#stars[word] ?? 0);
      after |= skipped << 1;
      carried = (matched | skipped) >>> (BITS_OF_WORD - 1);
      reached[word] = after;
      any |= after;
    }
    return any !== 0;
  }
}

/** One bit for each token, plus one for the end. */
function bitsOf(tokens: readonly string[], isMarked: (token: string) => boolean): Int32Array {
  const bits = new Int32Array((tokens.length >>> 5) + 1);
  for (const [index, token] of tokens.entries()) {
    if (isMarked(token)) bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index % BITS_OF_WORD));
  }
  return bits;
}
