/** Longer texts are no misspelt names; comparing costs the product of the lengths. */
const MAX_LENGTH = 64;

/** The one of `names` that `written` is probably a misspelling of; undefined when none is close. */
export function nearestName(written: string, names: Iterable<string>): string | undefined {
  if (written.length > MAX_LENGTH) return undefined;
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    const edits = editsBetween(written.toLowerCase(), name.toLowerCase());
    // one wrong character in three at most
    if (edits * 3 <= Math.max(written.length, name.length) && edits < (best?.edits ?? Infinity))
      best = { name, edits };
  }
  return best?.name;
}

/** What follows a message where `name` was probably meant. */
export function meantHint(name: string | undefined): string {
  return name === undefined ? '' : `; did you mean ${name}?`;
}

/**
 * How many characters to insert, remove, replace or swap with their neighbour (optimal string alignment, a variant of
 * the Damerau-Levenshtein distance).
 */
function editsBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
}
