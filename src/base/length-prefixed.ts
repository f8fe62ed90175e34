/**
 * `text` in a form that ends where it says it ends: its length goes before it (as in a netstring; here in UTF-16 units).
 * Names that are put together of other people's texts are made of these, one behind the other: two lists of texts then
 * have the same name only if they are the same list, whatever the texts hold. No text at all is told from an empty one.
 */
export function lengthPrefixed(text: string | undefined): string {
  return text === undefined ? '-' : `${text.length}:${text}`;
}
