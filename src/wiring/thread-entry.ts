import { extname } from 'node:path';

/** The module of a thread's entry: `.ts` when run from the sources, `.js` in the build. */
export function threadEntry(name: 'worker' | 'store-thread'): URL {
  return new URL(`../${name}${extname(import.meta.url)}`, import.meta.url);
}
