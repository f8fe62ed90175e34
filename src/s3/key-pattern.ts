import { PatternAutomaton } from './pattern-automaton.ts';

/** Whether a decoded key matches a pattern or a list of patterns. */
export type KeyMatcher = (key: string) => boolean;

/**
 * Compiles a list of patterns. `*` matches any characters except `/`, `**` any characters; everything else matches
 * itself, case-sensitively. The last matching pattern decides: one that begins with `!` excludes the key. Matching
 * takes time proportional to the length of the key, times the number of 32-character blocks of a pattern.
 */
export function compileKeyPatterns(patterns: readonly string[]): KeyMatcher {
  const lastFirst = rulesOf(patterns).toReversed();
  return key => {
    for (const { includes, pattern } of lastFirst) if (pattern.matches(key)) return includes;
    return false;
  };
}

/** How many of the keys with a certain prefix are matched. */
export type KeyShare = 'every' | 'some' | 'none';

/** Compiles the same list of patterns for questions about all possible keys with a given prefix. */
export function compileKeyShare(patterns: readonly string[]): (prefix: string) => KeyShare {
  const lastFirst = rulesOf(patterns).toReversed();
  return prefix => {
    let includesSome = false;
    let excludesSome = false;
    for (const { includes, pattern } of lastFirst) {
      const covered = pattern.coverage(prefix);
      if (covered === 'every') {
        if (includes) return excludesSome ? 'some' : 'every';
        break;
      }
      if (covered === 'none') continue;
      if (includes) includesSome = true;
      else excludesSome = true;
    }
    return includesSome ? 'some' : 'none';
  };
}

interface Rule {
  readonly includes: boolean;
  readonly pattern: KeyPattern;
}

function rulesOf(patterns: readonly string[]): readonly Rule[] {
  return patterns.map(pattern => {
    const isExclusion = pattern.startsWith('!');
    return { includes: !isExclusion, pattern: new KeyPattern(isExclusion ? pattern.slice(1) : pattern) };
  });
}

/** Splits a pattern, without its `!`, into `*`, `**` (also for longer runs) and single characters. */
export function tokensOf(pattern: string): readonly string[] {
  return pattern.match(/\*{2,}|./gs)?.map(token => (token.length > 1 ? '**' : token)) ?? [];
}

/** One pattern, without its `!`. */
class KeyPattern {
  /** The text before the first star, and after the last. */
  readonly #before: string;
  readonly #after: string;
  /** Matches what follows `before`; undefined for a pattern without stars. */
  readonly #automaton: PatternAutomaton | undefined;
  /** Whether the pattern is a literal prefix followed by `**`. */
  readonly #isFolder: boolean;
  readonly #endsOpen: boolean;

  constructor(pattern: string) {
    const tokens = tokensOf(pattern);
    const first = tokens.findIndex(isStar);
    const stars = first < 0 ? [] : tokens.slice(first);
    this.#before = tokens.slice(0, first < 0 ? tokens.length : first).join('');
    this.#after = tokens.slice(tokens.findLastIndex(isStar) + 1).join('');
    this.#automaton = first < 0 ? undefined : new PatternAutomaton(stars);
    this.#isFolder = stars.length === 1 && stars[0] === '**';
    this.#endsOpen = tokens.at(-1) === '**';
  }

  matches(key: string): boolean {
    if (!this.#automaton) return key === this.#before;
    if (!key.startsWith(this.#before) || !key.endsWith(this.#after)) return false;
    return this.#isFolder || this.#automaton.read(key, this.#before.length) === 'whole';
  }

  /** How many of the keys with this prefix match. */
  coverage(prefix: string): KeyShare {
    if (prefix.length < this.#before.length || !this.#automaton)
      return this.#before.startsWith(prefix) ? 'some' : 'none';
    if (!prefix.startsWith(this.#before)) return 'none';
    const reach = this.#automaton.read(prefix, this.#before.length);
    if (reach === 'whole' && this.#endsOpen) return 'every';
    return reach === 'nothing' ? 'none' : 'some';
  }
}

function isStar(token: string): boolean {
  return token.startsWith('*');
}
