import { PatternAutomaton } from './pattern-automaton.ts';

/** Whether a key, decoded, is one of those that a pattern or a list of patterns names. */
export type KeyMatcher = (key: string) => boolean;

/**
 * Compiles a list of patterns. `*` stands for any characters but `/`, `**` for any at all, everything else for itself,
 * in its own case. The last pattern that matches decides: one that begins with `!` takes away what those before it
 * gave. Matching takes time proportional to the length of the key, times one for each 32 characters of a pattern.
 */
export function compileKeyPatterns(patterns: readonly string[]): KeyMatcher {
  const lastFirst = rulesOf(patterns).toReversed();
  return key => {
    for (const { gives, pattern } of lastFirst) if (pattern.matches(key)) return gives;
    return false;
  };
}

/** How many of the keys that begin in a certain way are meant. */
export type KeyShare = 'every' | 'some' | 'none';

/** The same list of patterns, asked about all keys at once that begin with a prefix, whether or not there are such keys. */
export function compileKeyShare(patterns: readonly string[]): (prefix: string) => KeyShare {
  const lastFirst = rulesOf(patterns).toReversed();
  return prefix => {
    let givesSome = false;
    let takesSome = false;
    for (const { gives, pattern } of lastFirst) {
      const covered = pattern.coverage(prefix);
      if (covered === 'every') {
        if (gives) return takesSome ? 'some' : 'every';
        break;
      }
      if (covered === 'none') continue;
      if (gives) givesSome = true;
      else takesSome = true;
    }
    return givesSome ? 'some' : 'none';
  };
}

interface Rule {
  readonly gives: boolean;
  readonly pattern: KeyPattern;
}

function rulesOf(patterns: readonly string[]): readonly Rule[] {
  return patterns.map(pattern => {
    const takesAway = pattern.startsWith('!');
    return { gives: !takesAway, pattern: new KeyPattern(takesAway ? pattern.slice(1) : pattern) };
  });
}

/** The parts of a pattern, without its `!`: `*`, `**` (also for more of them) and single characters. */
export function tokensOf(pattern: string): readonly string[] {
  return pattern.match(/\*{2,}|./gs)?.map(token => (token.length > 1 ? '**' : token)) ?? [];
}

/** One pattern, without its `!`. */
class KeyPattern {
  /** What stands before the first star, and behind the last. */
  readonly #before: string;
  readonly #after: string;
  /** Reads what comes behind `before`; undefined where there is no star. */
  readonly #automaton: PatternAutomaton | undefined;
  /** Whether it is a beginning of keys with `**` behind it. */
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

  /** How many of the keys that begin with `prefix` match. */
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
