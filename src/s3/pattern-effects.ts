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
  const rules = patterns.map((pattern): Rule => {
    const isExclusion = pattern.startsWith('!');
    return { includes: !isExclusion, tokens: tokensOf(isExclusion ? pattern.slice(1) : pattern) };
  });
  const effects = rules.map((): PatternEffect => 'overridden');
  const characters = alphabetOf(rules);
  const start = rules.map(({ tokens }) => withSkippedStars([0], tokens));
  const seen = new Set([JSON.stringify(start)]);
  const waiting: Reached[] = [start];
  let steps = 0;
  for (let reached = waiting.pop(); reached; reached = waiting.pop()) {
    record(reached, rules, effects);
    for (const character of characters) {
      const next = reached.map((positions, index) => step(positions, rules[index]?.tokens ?? [], character));
      steps += 1 + reached.reduce((sum, { length }) => sum + length, 0);
      const name = JSON.stringify(next);
      if (seen.has(name)) continue;
      seen.add(name);
      waiting.push(next);
    }
    if (steps > MOST_STEPS) return undefined;
  }
  return effects;
}

/** Records what a key that ends in this state shows: which pattern decides, and whether it changes the result. */
function record(reached: Reached, rules: readonly Rule[], effects: PatternEffect[]): void {
  const matching = rules.flatMap(({ tokens }, index) =>
    reached[index]?.at(-1) === tokens.length ? [index] : [],
  );
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
