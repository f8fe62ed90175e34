/**
 * `text` without the `characters` at its end. A pattern for them is tried anew from each character of a run that is not at the
 * end: the time grows with the square of what somebody sends.
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
