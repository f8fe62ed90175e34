import { type CacheControl, cacheControlOf, type Directives, parseCacheControl } from './cache-control.ts';
import { type BareItem, parseDictionary } from './structured-fields.ts';

/**
 * Fields that say to this cache what Cache-Control says to all, in the order in which they count (RFC 9213 §2.2): its own, then
 * that for all content delivery networks (§3.1).
 */
const targetList = ['tidegate-cache-control', 'cdn-cache-control'] as const;

/** The names of these fields. */
export const targetedFields: ReadonlySet<string> = new Set(targetList);

/** What an answer says of its caching. */
export interface StatedControl {
  readonly control: CacheControl;
  /** Expires, where that counts. */
  readonly expires: string | undefined;
}

/**
 * What an answer says to this cache: the first field of the target list that is valid and not empty takes the place of
 * Cache-Control and Expires (RFC 9213 §2.2).
 *
 * @param fieldOf the value of a field of the answer by its name in lower case; several lines joined by commas
 */
export function statedControl(fieldOf: (name: string) => string | undefined): StatedControl {
  for (const name of targetList) {
    const field = fieldOf(name);
    const directives = field === undefined ? undefined : targetedDirectives(field);
    if (directives) return { control: cacheControlOf(directives), expires: undefined };
  }
  return { control: parseCacheControl(fieldOf('cache-control')), expires: fieldOf('expires') };
}

/** Directives whose values are whole numbers; the others are true, or name fields in a text (RFC 9213 §2.1). */
const counting: ReadonlySet<string> = new Set([
  'max-age',
  's-maxage',
  'stale-while-revalidate',
  'stale-if-error',
]);

/**
 * The directives of a targeted field; undefined where it is no dictionary or empty, or a value is of another type than its
 * directive has: then nobody knows what was meant, and the field is ignored.
 */
function targetedDirectives(field: string): Directives | undefined {
  const members = parseDictionary(field);
  if (!members || members.size === 0) return undefined;
  const directives = new Map<string, (string | undefined)[]>();
  for (const [name, item] of members) {
    if (counting.has(name) && item?.kind !== 'integer') return undefined;
    if (!isFalse(item)) directives.set(name, [writtenValue(item)]);
  }
  return directives;
}

function isFalse(item: BareItem | undefined): boolean {
  return item?.kind === 'boolean' && !item.value;
}

/** As it would be in Cache-Control. */
function writtenValue(item: BareItem | undefined): string | undefined {
  return item === undefined || item.kind === 'boolean' ? undefined : String(item.value);
}
