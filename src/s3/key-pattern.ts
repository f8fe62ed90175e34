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

function compilePattern(pattern: string): KeyMatcher {
  const star = pattern.indexOf('*');
  if (star < 0) return key => key === pattern;
  const before = pattern.slice(0, star);
  if (pattern.slice(star) === '**') return key => key.startsWith(before);
  const tokens = pattern.match(/\*{2,}|./gs) ?? [];
  return key => key.startsWith(before) && matchesTokens(tokens, key);
}

/** Carries along, character by character of the key, which beginnings of the pattern match what was read so far. */
function matchesTokens(tokens: readonly string[], key: string): boolean {
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
  return reached[tokens.length] === true;
}
