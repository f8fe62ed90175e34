/**
 * `text` with its length in front (as in a netstring, but in UTF-16 units). Names that are composed of untrusted texts
 * concatenate this form, which makes them unambiguous: two lists of texts have the same name only if they are equal.
 * `undefined` differs from the empty text.
 */
export function lengthPrefixed(text: string | undefined): string {
  return text === undefined ? '-' : `${text.length}:${text}`;
}
