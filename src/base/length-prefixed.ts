/**
 * `text` with its length in front (as in a netstring, but in UTF-16 units). Names that are composed of untrusted texts
 * concatenate this form, which makes them unambiguous: two lists of texts have the same name only if they are equal.
 * `undefined` differs from the empty text.
 */
export function lengthPrefixed(text: string | undefined): string {
  return text === undefined ? '-' : `${text.length}:${text}`;
}

/** The texts of which `name` is composed; undefined for what is no such name. */
export function textsOfName(name: string): (string | undefined)[] | undefined {
  const texts: (string | undefined)[] = [];
  for (let at = 0; at < name.length; ) {
    const [prefix, length] = /^(?:-|(\d+):)/.exec(name.slice(at, at + LONGEST_PREFIX)) ?? [];
    if (prefix === undefined) return undefined;
    at += prefix.length;
    const end = at + Number(length ?? 0);
    if (end > name.length) return undefined;
    texts.push(length === undefined ? undefined : name.slice(at, end));
    at = end;
  }
  return texts;
}

/** No text is longer than ten digits say. */
const LONGEST_PREFIX = 11;
