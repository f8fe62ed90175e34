/** An entity tag (RFC 9110 §8.8.3). */
export interface EntityTag {
  readonly isWeak: boolean;
  /** What stands between the quotes. */
  readonly opaque: string;
}

/** What If-Match or If-None-Match names; a list may be empty. */
export type EntityTagList =
  | { readonly kind: 'any' }
  | { readonly kind: 'tags'; readonly tags: readonly EntityTag[] };

/** A list member: quoted (commas included) or, as stores accept it too, bare up to the next comma. */
const member = /(W\/)?(?:"([^"]*)"(?=\s*(?:,|$))|([^,]+))/y;
const separator = /[\s,]*/y;

/** Parses one entity tag, quoted or bare, strong or weak. An unclosed quote belongs to the tag, so that it equals none. */
export function parseEntityTag(text: string): EntityTag {
  const isWeak = text.startsWith('W/');
  const value = isWeak ? text.slice(2) : text;
  const isQuoted = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
  return { isWeak, opaque: isQuoted ? value.slice(1, -1) : value };
}

/**
 * Parses the value of If-Match or If-None-Match: `*`, or tags separated by commas (RFC 9110 §13.1.1). Quotes may be
 * missing (behaviours.md 57, 58).
 */
export function parseEntityTagList(header: string): EntityTagList {
  if (header.trim() === '*') return { kind: 'any' };
  const tags: EntityTag[] = [];
  for (let position = skipSeparator(header, 0); position < header.length; ) {
    member.lastIndex = position;
    const match = member.exec(header);
    if (!match) break;
    const [text, weak, quoted, bare = ''] = match;
    tags.push({ isWeak: weak !== undefined, opaque: quoted ?? bare.trimEnd() });
    position = skipSeparator(header, position + text.length);
  }
  return { kind: 'tags', tags };
}

/** RFC 9110 §8.8.3.2: equal, and neither of them weak. */
export function equalsStrongly(one: EntityTag, other: EntityTag): boolean {
  return !one.isWeak && !other.isWeak && one.opaque === other.opaque;
}

/** RFC 9110 §8.8.3.2: equal, weak or not. */
export function equalsWeakly(one: EntityTag, other: EntityTag): boolean {
  return one.opaque === other.opaque;
}

function skipSeparator(header: string, position: number): number {
  separator.lastIndex = position;
  separator.exec(header);
  return separator.lastIndex;
}
