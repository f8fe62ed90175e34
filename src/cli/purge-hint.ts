import { printableLine } from '../base/printable.ts';

/**
 * What may be wrong with the name in a purge by which nothing was removed; undefined where it looks like any other. Keys may
 * legally look like this, so it is no more than a hint.
 *
 * @param bucket as clients name it
 * @param named the key or the prefix
 * @param answer of the admin port
 */
export function purgeHint(bucket: string, named: string, answer: unknown): string | undefined {
  if (!isNothing(answer)) return undefined;
  const fault = faultOf(bucket, named);
  return fault === undefined ? undefined : printableLine(`nothing of that name was held: ${fault}`);
}

function isNothing(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'objects' in answer && answer.objects === 0;
}

function faultOf(bucket: string, named: string): string | undefined {
  const star = named.indexOf('*');
  if (star === 0) return '"*" is a character like any other; for all keys leave the key out';
  if (star > 0)
    return `"*" is a character like any other; for all keys that begin alike, --prefix ${quoted(named.slice(0, star))}`;
  const path = named.startsWith('/') ? named : `/${named}`;
  if (path.startsWith(`/${bucket}/`))
    return `a key does not begin with its bucket; ${meant(path.slice(bucket.length + 2))}`;
  if (named.startsWith('/') && bucket !== '/')
    return `at a store only keys with two "/" in their URL begin with one; ${meant(named.slice(1))}`;
  return undefined;
}

function meant(named: string): string {
  return named === '' ? 'for all keys leave it out' : `did you mean ${quoted(named)}?`;
}

/** For a shell: whoever may write an object chooses its name. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
