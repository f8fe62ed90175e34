import { SpelledBytes, type Spelling } from './spelled-bytes.ts';

/** Hashes cover at most this many bytes: secrets rarely share a longer beginning. */
const LONGEST_BEGINNING = 16;

/**
 * Most lines contain no secret. A regular expression for the first characters of all secrets finds that out cheaply;
 * this is how many characters of each it has.
 */
const SHOWN_CHARACTERS = 8;

/** With more secrets the regular expression is left out: it would take long to compile, or be too long. */
const MOST_SHOWN = 1_000;

const BASE = 0x0100_0193;

/**
 * Finds secrets in JSON text, percent-encoded or not. The time grows with the text, not with the number of secrets
 * (Rabin–Karp: a rolling hash over as many bytes as the shortest secret has).
 */
export class SecretFinder {
  readonly #byHash = new Map<number, Buffer[]>();
  /** Which hashes may be in `#byHash`, by their lower half. */
  readonly #mayBegin = new Uint8Array(0x1_0000);
  readonly #beginning: number;
  /** Factor of the byte that leaves the rolling hash. */
  readonly #factor: number;
  readonly #mayContain: (text: string) => boolean;
  readonly #bytes = new SpelledBytes();

  constructor(secrets: readonly string[]) {
    // longer ones first, because one may be the beginning of another
    const all = secrets
      .filter(secret => secret !== '')
      .map(secret => Buffer.from(secret))
      .toSorted((a, b) => b.length - a.length);
    this.#beginning = Math.min(LONGEST_BEGINNING, all.at(-1)?.length ?? LONGEST_BEGINNING);
    this.#factor = powerOfBase(this.#beginning - 1);
    for (const secret of all) this.#add(secret);
    this.#mayContain = anyBeginning(secrets);
  }

  /** `text` with `mask` in place of every secret. */
  replace(text: string, mask: string): string {
    if (this.#byHash.size === 0) return text;
    const shown = this.#mayContain(text) ? this.#replaceIn(text, mask, 'json') : text;
    return shown.includes('%') ? this.#replaceIn(shown, mask, 'percent-in-json') : shown;
  }

  #add(secret: Buffer): void {
    const hash = this.#hashAt(secret, 0);
    this.#mayBegin[hash & 0xffff] = 1;
    const others = this.#byHash.get(hash);
    if (others) others.push(secret);
    else this.#byHash.set(hash, [secret]);
  }

  #replaceIn(text: string, mask: string, spelling: Spelling): string {
    this.#bytes.read(text, spelling);
    const { values, starts, ends, length: lengthBytes } = this.#bytes;
    let shown = '';
    let copied = 0;
    let hash = this.#hashAt(values, 0);
    for (let at = 0; at + this.#beginning <= lengthBytes; ) {
      const length = this.#mayBegin[hash & 0xffff] ? this.#lengthAt(at, hash) : 0;
      if (length > 0) {
        shown += text.slice(copied, starts[at]) + mask;
        copied = ends[at + length - 1] ?? text.length;
        at += length;
        hash = this.#hashAt(values, at);
      } else {
        hash = this.#moved(hash, values[at] ?? 0, values[at + this.#beginning] ?? 0);
        at++;
      }
    }
    return copied === 0 ? text : shown + text.slice(copied);
  }

  /** The length of the longest secret that begins at `at`; 0 where none does. */
  #lengthAt(at: number, hash: number): number {
    const { values, length } = this.#bytes;
    const isThere = (secret: Buffer) =>
      at + secret.length <= length && secret.every((byte, index) => values[at + index] === byte);
    return this.#byHash.get(hash)?.find(isThere)?.length ?? 0;
  }

  #hashAt(values: ArrayLike<number>, at: number): number {
    let hash = 0;
    for (let index = at; index < at + this.#beginning; index++)
      hash = (Math.imul(hash, BASE) + (values[index] ?? 0)) | 0;
    return hash;
  }

  #moved(hash: number, leaves: number, comes: number): number {
    return (Math.imul((hash - Math.imul(leaves, this.#factor)) | 0, BASE) + comes) | 0;
  }
}

function powerOfBase(exponent: number): number {
  let power = 1;
  for (let times = 0; times < exponent; times++) power = Math.imul(power, BASE);
  return power;
}

/** Returns a quick check whether a text may contain a secret that is not percent-encoded. */
function anyBeginning(secrets: readonly string[]): (text: string) => boolean {
  const beginnings = new Set(
    secrets
      .filter(secret => secret !== '')
      .map(secret => JSON.stringify([...secret].slice(0, SHOWN_CHARACTERS).join('')).slice(1, -1)),
  );
  if (beginnings.size > MOST_SHOWN) return () => true;
  const pattern = new RegExp(Array.from(beginnings, escapedInPattern).join('|'));
  return text => pattern.test(text);
}

function escapedInPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
