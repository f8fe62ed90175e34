import { extname } from 'node:path';

/** A thread's module, one of the entries: `.ts` in the sources, `.js` in what is built of them. */
export function threadEntry(name: 'worker' | 'store-thread'): URL {
  return new URL(`../${name}${extname(import.meta.url)}`, import.meta.url);
}
