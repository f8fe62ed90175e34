import type { ContentCoding } from './content-coding.ts';

/** Names that mean the same (RFC 9110 §8.4.1.3). */
const aliases: ReadonlyMap<string, string> = new Map([['x-gzip', 'gzip']]);

/** `gzip`, `br;q=0.5`: a name, and its weight (RFC 9110 §12.4.2). */
const member = /^([\w!#$%&'*+.^`|~-]+)(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

/** Clients send less than 100 characters. Longer lists are not read. */
const LONGEST_LIST = 512;

/**
 * Which of `offered` a client takes, the best first: by its weights, and among equal ones in the order in which they are
 * offered (RFC 9110 §12.5.3). What a client likes less than the content as it is, is left out, and so is everything for one
 * that does not say what it takes. Members that are malformed count as absent.
 *
 * @param field all lines of Accept-Encoding joined by commas
 */
export function acceptedCodings(
  field: string | undefined,
  offered: readonly ContentCoding[],
): readonly ContentCoding[] {
  if (field === undefined || field.length > LONGEST_LIST) return [];
  const weights = weightsOf(field);
  const atLeast = weights.get('identity') ?? 0;
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  return offered
    .filter(coding => weightOf(coding) > 0 && weightOf(coding) >= atLeast)
    .sort((one, other) => weightOf(other) - weightOf(one));
}

function weightsOf(field: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of field.split(',')) {
    const [, name, weight = '1'] = member.exec(part.trim()) ?? [];
    if (name === undefined) continue;
    const coding = name.toLowerCase();
    weights.set(aliases.get(coding) ?? coding, Number(weight));
  }
  return weights;
}

/** How many spellings are remembered; browsers have a handful. */
const MEMO_LIMIT = 64;

/** `acceptedCodings` for one offer. Remembers what the spellings of clients mean, a bounded number of them. */
export class CodingChoice {
  readonly #offered: readonly ContentCoding[];
  readonly #known = new Map<string, readonly ContentCoding[]>();

  constructor(offered: readonly ContentCoding[]) {
    this.#offered = offered;
  }

  of(field: string | undefined): readonly ContentCoding[] {
    if (field === undefined) return [];
    const known = this.#known.get(field);
    if (known) return known;
    const accepted = acceptedCodings(field, this.#offered);
    if (field.length > LONGEST_LIST) return accepted;
    if (this.#known.size >= MEMO_LIMIT) this.#known.clear();
    this.#known.set(field, accepted);
    return accepted;
  }
}
