import { tokensOf } from './key-pattern.ts';

/** What one pattern of a list does there. */
export type PatternEffect =
  /** There are keys for which it decides. */
  | 'decides'
  /** Whatever it matches, a later pattern matches too, and decides. */
  | 'overridden'
  /** It begins with `!`, and no pattern before it gives a key for which it decides. */
  | 'takes-nothing';

/** Which beginnings of each pattern match what was read of a key so far, as numbers of tokens in rising order. */
type Reached = readonly (readonly number[])[];

interface Rule {
  readonly gives: boolean;
  readonly tokens: readonly string[];
}

/** A configuration is read once: a list for which this is not enough is not judged. */
const MOST_STEPS = 2_000_000;

/**
 * What each pattern of a list, as `compileKeyPatterns` reads it, does there; undefined where the list is too involved
 * to tell. Exact: all keys are tried at once, by walking through the states that matching can be in.
 */
export function patternEffects(patterns: readonly string[]): readonly PatternEffect[] | undefined {
  const rules = patterns.map((pattern): Rule => {
    const takesAway = pattern.startsWith('!');
    return { gives: !takesAway, tokens: tokensOf(takesAway ? pattern.slice(1) : pattern) };
  });
  const effects = rules.map((): PatternEffect => 'overridden');
  const characters = alphabetOf(rules);
  const start = rules.map(({ tokens }) => withSkippedStars([0], tokens));
  const seen = new Set([JSON.stringify(start)]);
  const waiting: Reached[] = [start];
  let steps = 0;
  for (let reached = waiting.pop(); reached; reached = waiting.pop()) {
    note(reached, rules, effects);
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

/** Writes down what a key with this state tells: which pattern decides for it, and whether it changes what was given. */
function note(reached: Reached, rules: readonly Rule[], effects: PatternEffect[]): void {
  const matching = rules.flatMap(({ tokens }, index) =>
    reached[index]?.at(-1) === tokens.length ? [index] : [],
  );
  const [before, last] = [matching.at(-2), matching.at(-1)];
  if (last === undefined || effects[last] === 'decides') return;
  const wasGiven = before !== undefined && rules[before]?.gives === true;
  effects[last] = rules[last]?.gives || wasGiven ? 'decides' : 'takes-nothing';
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

/** A star may stand for nothing. */
function withSkippedStars(positions: readonly number[], tokens: readonly string[]): readonly number[] {
  const all = new Set(positions);
  // a set is walked through as it grows
  for (const position of all) if (tokens[position]?.startsWith('*')) all.add(position + 1);
  return [...all].sort((a, b) => a - b);
}

/** Every character that a pattern names, the slash, and one more that stands for all others. */
function alphabetOf(rules: readonly Rule[]): readonly string[] {
  const named = new Set(rules.flatMap(({ tokens }) => tokens.filter(token => !token.startsWith('*'))));
  named.add('/');
  let other = 0xe000;
  while (named.has(String.fromCharCode(other))) other += 1;
  return [...named, String.fromCharCode(other)];
}
