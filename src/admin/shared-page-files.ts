import type { AdminRoute } from './admin-route.ts';
import { ownPageFiles, pageFile } from './page-file.ts';

/** The styles and modules that all pages load. */
export function sharedPageFiles(): readonly AdminRoute[] {
  return [
    ...ownPageFiles(
      'page/palette.css',
      'page/base.css',
      'page/forms.css',
      'page/admin-api.js',
      'page/elements.js',
      'page/format.js',
      'page/object-page.js',
    ),
    // browsers take `../../base/` in a page's module for this, since it leads beyond the root of the port
    pageFile('/base/time-text.js', 'js', new URL('../base/time-text.js', import.meta.url)),
  ];
}
