/** A basic language range, such as `de-AT` or `*`, and its weight (RFC 9110 §12.5.4, RFC 4647 §2.1). */
const member = /^([a-z]{1,8}(?:-[a-z\d]{1,8})*|\*)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

/** Browsers send less than 200 characters and ten ranges. Of a longer list the end may exclude what its beginning accepts. */
const LONGEST_LIST = 1_024;
const MOST_RANGES = 64;

/** What each takes in a list at most, besides its tag: `, ` and `;q=0.01`. */
const MEMBER_CHARACTERS = 9;

/** Whether what is given of these languages is never too long to be read again. */
export function mayBeOffered(tags: readonly string[]): boolean {
  const characters = tags.reduce((sum, tag) => sum + tag.length + MEMBER_CHARACTERS, 0);
  return tags.length <= MOST_RANGES && characters <= LONGEST_LIST;
}

/**
 * Accept-Language in the one form that it has for a site in these languages: those of them that the client accepts, by its weights,
 * and among equal ones as `offered` has them, with weights that fall from each to the next (`de, en;q=0.9`). Other languages of
 * the site stand behind them with weight 0 where one that is named would cover them (`de, de-CH;q=0`). The same again of what it
 * has given.
 *
 * @param field all lines joined by commas
 * @param offered language tags that `mayBeOffered`, each once
 * @returns undefined where the client accepts none of them, says nothing, or what it says is malformed or too long
 */
export function acceptedLanguages(field: string | undefined, offered: readonly string[]): string | undefined {
  const weights = field === undefined ? undefined : weightsOf(field);
  if (!weights) return undefined;
  const named = offered.map(tag => ({ tag, lower: tag.toLowerCase() }));
  const weightOf = weighing(
    named.map(({ lower }) => lower),
    weights,
  );
  const weighed = named.map(language => ({ ...language, weight: weightOf(language.lower) }));
  const accepted = weighed.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight);
  if (accepted.length === 0) return undefined;
  // ten steps would leave nothing to an eleventh
  const steps = accepted.length <= 10 ? 10 : 100;
  const members = accepted.map(({ tag }, rank) => (rank === 0 ? tag : `${tag};q=${(steps - rank) / steps}`));
  for (const { tag, lower, weight } of weighed)
    if (weight === 0 && accepted.some(other => isWithin(lower, other.lower))) members.push(`${tag};q=0`);
  return members.join(', ');
}

/** By ranges in lower case. Of what is named twice the higher weight counts, but for 0. Undefined for what is malformed. */
function weightsOf(field: string): ReadonlyMap<string, number> | undefined {
  if (field.length > LONGEST_LIST) return undefined;
  const parts = field.split(',', MOST_RANGES + 1);
  if (parts.length > MOST_RANGES) return undefined;
  const weights = new Map<string, number>();
  for (const part of parts) {
    const text = part.trim();
    // members may be empty (RFC 9110 §5.6.1.2)
    if (text === '') continue;
    const [, named, weight = '1'] = member.exec(text) ?? [];
    if (named === undefined) return undefined;
    const range = named.toLowerCase();
    const known = weights.get(range) ?? Number(weight);
    weights.set(range, known === 0 ? 0 : Number(weight) && Math.max(known, Number(weight)));
  }
  return weights;
}

/**
 * The weight of each language: that of the longest range which covers it (basic filtering, RFC 4647 §3.3.1), then the best of those
 * that cover no language and find it first as they are shortened (lookup, §3.4: `de` for `de-AT`), then that of `*`.
 */
function weighing(
  languages: readonly string[],
  weights: ReadonlyMap<string, number>,
): (language: string) => number {
  const covering = new Map<string, string>();
  const found = new Map<string, number>();
  for (const [range, weight] of weights) {
    const covered = languages.filter(language => isWithin(language, range));
    for (const language of covered)
      if (range.length > (covering.get(language)?.length ?? 0)) covering.set(language, range);
    if (covered.length > 0) continue;
    const first = languages.filter(language => isWithin(range, language)).sort(byLength)[0];
    if (first !== undefined && weight > (found.get(first) ?? 0)) found.set(first, weight);
  }
  return language =>
    weights.get(covering.get(language) ?? '') ?? found.get(language) ?? weights.get('*') ?? 0;
}

/** The longest one first. */
function byLength(one: string, other: string): number {
  return other.length - one.length;
}

/** Whether a tag is `range`, or begins with it and a hyphen. */
function isWithin(tag: string, range: string): boolean {
  return tag.startsWith(range) && (tag.length === range.length || tag[range.length] === '-');
}

/** How many spellings are remembered; clients have a few dozen. */
const MEMO_LIMIT = 64;

/** `acceptedLanguages` for one site. Remembers what the spellings of clients mean, a bounded number of them. */
export class LanguageChoice {
  readonly #offered: readonly string[];
  readonly #known = new Map<string, string | undefined>();

  constructor(offered: readonly string[]) {
    this.#offered = offered;
  }

  of(field: string): string | undefined {
    if (this.#known.has(field)) return this.#known.get(field);
    const accepted = acceptedLanguages(field, this.#offered);
    if (field.length > LONGEST_LIST) return accepted;
    if (this.#known.size >= MEMO_LIMIT) this.#known.clear();
    this.#known.set(field, accepted);
    return accepted;
  }
}
