/** A source of choices that gives the same ones again for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A source for something that is named, whatever was chosen before. */
  static for(seed: number, name: string): Random {
    let hash = seed >>> 0;
    for (let index = 0; index < name.length; index++)
      hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193) >>> 0;
    return new Random(hash);
  }

  /** A whole number from 0 to `below - 1`. */
  int(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  chance(share: number): boolean {
    return this.int(1_000_000) < share * 1_000_000;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.int(items.length)] ?? items[0];
  }
}

/** Pieces that parsers stumble over. */
const awkward = [
  ...[
    '',
    ' ',
    '\t',
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    '\0',
    '\x01',
    '\x7f',
    '\xff',
    '\xc3\xa9',
    ':',
    ';',
    ',',
    '"',
    '%',
    '%00',
  ],
  ...[
    '%ff',
    '%2f',
    '../',
    '//',
    '-1',
    '0',
    '9007199254740993',
    '1e308',
    'NaN',
    '__proto__',
    'constructor',
    '<',
    '&',
    ']]>',
  ],
  ...['HTTP/1.1', 'chunked', 'bytes=', '*', 'x'.repeat(300)],
] as const;

/** `text` (Latin-1) after one to four changes: bits, bytes and pieces flipped, dropped, doubled, put in. */
export function mutated(text: string, random: Random): string {
  let result = text;
  for (let change = 0; change <= random.int(4); change++) {
    const at = random.int(result.length + 1);
    const length = random.int(random.chance(0.2) ? 200 : 4);
    const [before, piece, after] = [
      result.slice(0, at),
      result.slice(at, at + length),
      result.slice(at + length),
    ];
    const flipped = String.fromCharCode((piece.charCodeAt(0) || 0) ^ (1 << random.int(8)));
    result = random.pick([
      before + flipped + piece.slice(1) + after,
      before + after,
      before + piece + piece + after,
      before + (awkward[random.int(awkward.length)] ?? '') + piece + after,
    ]);
  }
  return result;
}

/** `bytes` in pieces, cut at random. */
export function pieces(bytes: Buffer, random: Random): Buffer[] {
  const cut: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = from + 1 + random.int(random.chance(0.5) ? bytes.length : 40);
    cut.push(bytes.subarray(from, to));
    from = to;
  }
  return cut;
}
