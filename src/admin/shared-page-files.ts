import type { AdminRoute } from './admin-route.ts';
import { ownPageFiles } from './page-file.ts';

/** The styles and modules that all pages load. */
export function sharedPageFiles(): readonly AdminRoute[] {
  return ownPageFiles(
    'page/palette.css',
    'page/base.css',
    'page/admin-api.js',
    'page/elements.js',
    'page/format.js',
    'page/object-page.js',
  );
}
