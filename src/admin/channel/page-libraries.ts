import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * The libraries of the channel page, by the name under which it loads them. They are development dependencies: the build
 * copies them beside the page's own files, so an installed package does not depend on them.
 */
export const pageLibraries = {
  'adaptivecards.js': 'adaptivecards/dist/adaptivecards.min.js',
  'markdown-it.js': 'markdown-it/browser',
} as const;

/** The file of a library: the copy that the build made, or the dependency itself where the sources run. */
export function libraryFile(name: keyof typeof pageLibraries): URL | string {
  const copy = new URL(`./page/${name}`, import.meta.url);
  return existsSync(copy) ? copy : createRequire(import.meta.url).resolve(pageLibraries[name]);
}
