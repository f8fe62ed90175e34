/** An entity tag (RFC 9110 §8.8.3). */
export interface EntityTag {
  readonly isWeak: boolean;
  /** The part between the quotes. */
  readonly opaque: string;
}

/** The value of If-Match or If-None-Match; the list may be empty. */
type EntityTagList =
  | { readonly kind: 'any' }
  | { readonly kind: 'tags'; readonly tags: readonly EntityTag[] };

/** A list member: quoted (may contain commas), or unquoted up to the next comma, which stores accept too. */
const member = /(W\/)?(?:"([^"]*)"(?=\s*(?:,|$))|([^,]+))/y;
const separator = /[\s,]*/y;

/**
 * Parses one entity tag, quoted or unquoted, strong or weak. An unclosed quote is kept as part of the tag, so that it
 * matches no other tag.
 */
export function parseEntityTag(text: string): EntityTag {
  const isWeak = text.startsWith('W/');
  const value = isWeak ? text.slice(2) : text;
  const isQuoted = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
  return { isWeak, opaque: isQuoted ? value.slice(1, -1) : value };
}

/**
 * Parses the value of If-Match or If-None-Match: `*` or a comma-separated list of tags (RFC 9110 §13.1.1). Quotes may
 * be missing (docs/semantics.md 57, 58).
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

/** Whether `text` is one strong entity tag as RFC 9110 §8.8.3 spells it. */
export function isStrongTag(text: string | undefined): boolean {
  return text !== undefined && /^"[^"]*"$/.test(text);
}

/** Strong comparison (RFC 9110 §8.8.3.2): equal, and neither is weak. */
export function equalsStrongly(one: EntityTag, other: EntityTag): boolean {
  return !one.isWeak && !other.isWeak && one.opaque === other.opaque;
}

/** Weak comparison (RFC 9110 §8.8.3.2): equal, weak or not. */
export function equalsWeakly(one: EntityTag, other: EntityTag): boolean {
  return one.opaque === other.opaque;
}

function skipSeparator(header: string, position: number): number {
  separator.lastIndex = position;
  separator.exec(header);
  return separator.lastIndex;
}
