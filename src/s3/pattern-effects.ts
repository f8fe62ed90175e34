import { tokensOf } from './key-pattern.ts';

/** The effect of one pattern in a list. */
export type PatternEffect =
  /** It decides for some keys. */
  | 'decides'
  /** A later pattern matches all its keys and decides instead. */
  | 'overridden'
  /** It begins with `!`, but for the keys where it decides, no earlier pattern includes them. */
  | 'excludes-nothing';

/** For each pattern, the numbers of tokens that match what was read of a key so far, in ascending order. */
type Reached = readonly (readonly number[])[];

interface Rule {
  readonly includes: boolean;
  readonly tokens: readonly string[];
}

/** A configuration is read only once, so this much work is acceptable; lists that need more are not analysed. */
const MOST_STEPS = 2_000_000;

/**
 * The effect of each pattern in a list (in the syntax of `compileKeyPatterns`); undefined when the list is too complex.
 * The result is exact: it explores all states that matching any key can reach.
 */
export function patternEffects(patterns: readonly string[]): readonly PatternEffect[] | undefined {
  const rules = patterns.map(ruleOf);
  const effects = rules.map((): PatternEffect => 'overridden');
  return explore(rules, matching => record(matching, rules, effects)) ? effects : undefined;
}

/**
 * Of lists of which the first that includes a key decides, the indexes of those that never decide, though they include keys;
 * undefined when the lists are too complex. Exact as `patternEffects` is.
 */
export function hiddenLists(lists: readonly (readonly string[])[]): readonly number[] | undefined {
  const rules = lists.flatMap((patterns, list) => patterns.map(pattern => ({ list, rule: ruleOf(pattern) })));
  const including = new Set<number>();
  const deciding = new Set<number>();
  const isExplored = explore(
    rules.map(({ rule }) => rule),
    matching => {
      const lastOf = new Map(
        matching.flatMap(index => {
          const found = rules[index];
          return found ? [[found.list, found.rule.includes] as const] : [];
        }),
      );
      const included = [...lastOf].filter(([, includes]) => includes).map(([list]) => list);
      for (const list of included) including.add(list);
      if (included.length > 0) deciding.add(Math.min(...included));
    },
  );
  return isExplored ? [...including].filter(list => !deciding.has(list)) : undefined;
}

function ruleOf(pattern: string): Rule {
  const isExclusion = pattern.startsWith('!');
  return { includes: !isExclusion, tokens: tokensOf(isExclusion ? pattern.slice(1) : pattern) };
}

/**
 * Calls `visit` for each set of rules that match one key, with their indexes in ascending order; several times for some. False
 * when the rules are too complex.
 */
function explore(rules: readonly Rule[], visit: (matching: readonly number[]) => void): boolean {
  const characters = alphabetOf(rules);
  const start = rules.map(({ tokens }) => withSkippedStars([0], tokens));
  const seen = new Set([JSON.stringify(start)]);
  const waiting: Reached[] = [start];
  let steps = 0;
  for (let reached = waiting.pop(); reached; reached = waiting.pop()) {
    visit(rules.flatMap(({ tokens }, index) => (reached[index]?.at(-1) === tokens.length ? [index] : [])));
    for (const character of characters) {
      const next = reached.map((positions, index) => step(positions, rules[index]?.tokens ?? [], character));
      steps += 1 + reached.reduce((sum, { length }) => sum + length, 0);
      const name = JSON.stringify(next);
      if (seen.has(name)) continue;
      seen.add(name);
      waiting.push(next);
    }
    if (steps > MOST_STEPS) return false;
  }
  return true;
}

/** Records what a key shows that these patterns match: which decides, and whether it changes the result. */
function record(matching: readonly number[], rules: readonly Rule[], effects: PatternEffect[]): void {
  const last = matching.at(-1);
  if (last === undefined || effects[last] === 'decides') return;
  // also for a pattern that repeats another: one of the two has to stay
  const isIncluded = matching.some(index => rules[index]?.includes);
  effects[last] = isIncluded ? 'decides' : 'excludes-nothing';
}

function step(positions: readonly number[], tokens: readonly string[], character: string): readonly number[] {
  const next = positions.flatMap(position => {
    const token = tokens[position];
    if (token === '*') return character === '/' ? [] : [position];
    if (token === '**') return [position];
    return token === character ? [position + 1] : [];
  });
  return withSkippedStars(next, tokens);
}

/** A star may match the empty string. */
function withSkippedStars(positions: readonly number[], tokens: readonly string[]): readonly number[] {
  const all = new Set(positions);
  // iterating over a set includes elements added meanwhile
  for (const position of all) if (tokens[position]?.startsWith('*')) all.add(position + 1);
  return [...all].sort((a, b) => a - b);
}

/** Every character in the patterns, the slash, and one character that represents all others. */
function alphabetOf(rules: readonly Rule[]): readonly string[] {
  const named = new Set(rules.flatMap(({ tokens }) => tokens.filter(token => !token.startsWith('*'))));
  named.add('/');
  let other = 0xe000;
  while (named.has(String.fromCharCode(other))) other += 1;
  return [...named, String.fromCharCode(other)];
}
