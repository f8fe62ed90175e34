/** Whether a key, decoded, is one of those that a pattern or a list of patterns names. */
export type KeyMatcher = (key: string) => boolean;

/**
 * Compiles a list of patterns. `*` stands for any characters but `/`, `**` for any at all, everything else for itself,
 * in its own case. The last pattern that matches decides: one that begins with `!` takes away what those before it
 * gave. Matching takes at most pattern length times key length steps, whatever the two hold.
 */
export function compileKeyPatterns(patterns: readonly string[]): KeyMatcher {
  const rules = patterns.map(pattern => {
    const takesAway = pattern.startsWith('!');
    return { gives: !takesAway, matches: compilePattern(takesAway ? pattern.slice(1) : pattern) };
  });
  return key => rules.findLast(({ matches }) => matches(key))?.gives ?? false;
}

/** How many of the keys that begin in a certain way are meant. */
export type Coverage = 'every' | 'some' | 'none';

/** The same list of patterns, asked about all keys at once that begin with a prefix, whether or not there are such keys. */
export function compileCoverage(patterns: readonly string[]): (prefix: string) => Coverage {
  const rules = patterns.map(pattern => {
    const takesAway = pattern.startsWith('!');
    return { gives: !takesAway, tokens: tokensOf(takesAway ? pattern.slice(1) : pattern) };
  });
  return prefix => {
    const partly = new Set<boolean>();
    let rest = false;
    for (const { gives, tokens } of rules.toReversed()) {
      const matched = coverageOf(tokens, prefix);
      if (matched === 'some') partly.add(gives);
      if (matched !== 'every') continue;
      rest = gives;
      break;
    }
    if (partly.has(!rest)) return 'some';
    return rest ? 'every' : 'none';
  };
}

function coverageOf(tokens: readonly string[], prefix: string): Coverage {
  const reached = reachedBy(tokens, prefix);
  if (reached[tokens.length] === true && tokens.at(-1)?.startsWith('**')) return 'every';
  return reached.includes(true) ? 'some' : 'none';
}

function tokensOf(pattern: string): readonly string[] {
  return pattern.match(/\*{2,}|./gs) ?? [];
}

function compilePattern(pattern: string): KeyMatcher {
  const star = pattern.indexOf('*');
  if (star < 0) return key => key === pattern;
  const before = pattern.slice(0, star);
  if (pattern.slice(star) === '**') return key => key.startsWith(before);
  const tokens = tokensOf(pattern);
  return key => key.startsWith(before) && reachedBy(tokens, key)[tokens.length] === true;
}

/** Carries along, character by character of the key, which beginnings of the pattern match what was read so far. */
function reachedBy(tokens: readonly string[], key: string): readonly boolean[] {
  let reached = [true];
  for (const [index, token] of tokens.entries()) {
    reached.push(reached[index] === true && token.startsWith('*'));
  }
  for (let at = 0; at < key.length; at += 1) {
    const character = key.charAt(at);
    const next = [false];
    for (const [index, token] of tokens.entries()) {
      const skipped = next[index] === true;
      const stays = reached[index + 1] === true;
      if (token === '*') next.push(skipped || (stays && character !== '/'));
      else if (token.startsWith('*')) next.push(skipped || stays);
      else next.push(reached[index] === true && token === character);
    }
    reached = next;
  }
  return reached;
}
