import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AdminRoute } from './admin-route.ts';
import { pageFile } from './page-file.ts';

/**
 * The libraries of pages, by the file of `src/admin` under which the pages load them. They are development dependencies:
 * the build copies them beside the pages' own files, so an installed package does not depend on them.
 */
export const pageLibraries = {
  'channel/page/adaptivecards.js': 'adaptivecards/dist/adaptivecards.min.js',
  'channel/page/markdown-it.js': 'markdown-it/browser',
  'status/page/uplot.js': 'uplot/dist/uPlot.iife.min.js',
  'status/page/uplot.css': 'uplot/dist/uPlot.min.css',
} as const;

type LibraryName = keyof typeof pageLibraries;

/**
 * Serves a library under `path`. Where it is not installed, as when sources run without development dependencies, there
 * is no route: the gateway starts all the same, and pages do without.
 */
export function libraryRoutes(
  path: string,
  name: LibraryName,
  find: (name: LibraryName) => URL | string | undefined = libraryFile,
): readonly AdminRoute[] {
  const file = find(name);
  return file === undefined ? [] : [pageFile(path, name.endsWith('.css') ? 'css' : 'js', file)];
}

/** The copy that the build made, or the dependency itself where the sources run. */
function libraryFile(name: LibraryName): URL | string | undefined {
  const copy = new URL(`./${name}`, import.meta.url);
  if (existsSync(copy)) return copy;
  try {
    return createRequire(import.meta.url).resolve(pageLibraries[name]);
  } catch {
    return undefined;
  }
}
