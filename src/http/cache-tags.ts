import { utf8Text } from './utf8-text.ts';
import { withoutWhiteSpace } from './white-space.ts';

/** The tags in a field; undefined where it names none. */
type ReadTags = (value: string) => readonly string[];

/** Fields of answers whose values are tags that what is cached can be purged by. */
const tagFields: ReadonlyMap<string, ReadTags> = new Map([
  ['cache-tag', tagsBetween(/,/)],
  ['surrogate-key', tagsBetween(/[\t ]/)],
  ['cache-groups', cacheGroups],
]);

export const tagFieldNames: readonly string[] = [...tagFields.keys()];

/** The tags that a field of an answer gives it. `name` is in lower case. */
export function tagsOfField(name: string, value: string): readonly string[] {
  return tagFields.get(name)?.(value) ?? [];
}

/** Tags with commas between them, as in `Cache-Tag`. */
export function commaSeparatedTags(value: string): readonly string[] {
  return tagsBetween(/,/)(value);
}

function tagsBetween(separator: RegExp): ReadTags {
  return value =>
    value
      .split(separator)
      .map(tag => utf8Text(withoutWhiteSpace(tag)))
      .filter(tag => tag !== '');
}

/** A string of a structured field (RFC 9651 §3.3.3), a comma, or whatever stands between these. */
const piece = /"((?:[ !#-[\]-~]|\\["\\])*)"|,|[^",]+/y;

/** The pieces of a list's members; undefined for what is not well-formed. */
function membersOf(list: string): RegExpExecArray[][] | undefined {
  const members: RegExpExecArray[][] = [[]];
  piece.lastIndex = 0;
  while (piece.lastIndex < list.length) {
    const found = piece.exec(list);
    if (!found) return undefined;
    if (found[0] === ',') members.push([]);
    else if (found[0].trim() !== '') members.at(-1)?.push(found);
  }
  return members;
}

/**
 * The groups in Cache-Groups or Cache-Group-Invalidation.
 *
 * RFC 9875 §2 and §3: a list of strings. Members that are none are ignored, and so are parameters; so is all of a field that is not
 * well-formed (RFC 9651 §4.2).
 */
export function cacheGroups(value: string): readonly string[] {
  const groups: string[] = [];
  for (const [first, next] of membersOf(value) ?? []) {
    // no member between two commas, or something behind a string that is no parameter
    if (!first || (first[1] !== undefined && next && !next[0].trimStart().startsWith(';'))) return [];
    if (first[1] !== undefined) groups.push(first[1].replace(/\\(["\\])/g, '$1'));
  }
  return groups;
}
