import type { AdminRoute } from './admin-route.ts';
import { pageContent } from './page-file.ts';
import type { PageLink } from './page-navigation.ts';

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230e6f7c'/%3E%3Cpath d='M6 13c4-4 6-4 10 0s6 4 10 0M6 21c4-4 6-4 10 0s6 4 10 0' fill='none' stroke='%23fff' stroke-width='3' stroke-linecap='round'/%3E%3C/svg%3E";

const MARK =
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" /><path d="M6 13c4-4 6-4 10 0s6 4 10 0M6 21c4-4 6-4 10 0s6 4 10 0" /></svg>';

const SHARED_STYLES = ['/page/palette.css', '/page/base.css', '/page/forms.css'];

/** One page of the admin port. All texts are HTML: what is not our own must be escaped before. */
interface PageDocument {
  readonly path: string;
  readonly title: string;
  readonly navigation: readonly PageLink[];
  /** Style sheets besides the shared ones. */
  readonly styles: readonly string[];
  /** Scripts that are no modules, loaded first. */
  readonly libraries?: readonly string[];
  /** The module that runs the page. */
  readonly script: string;
  /** What the header shows beside the navigation. */
  readonly header?: string;
  /** From `<main>` on; a function where it changes while the gateway runs. */
  readonly body: string | (() => string);
}

/** Serves a page: head and header are the same on all, with the navigation. It needs no token, since it contains no data. */
export function documentRoute(page: PageDocument): AdminRoute {
  const { body } = page;
  if (typeof body === 'function')
    return pageContent(page.path, 'html', () => Buffer.from(documentOf(page, body())));
  const content = Buffer.from(documentOf(page, body));
  return pageContent(page.path, 'html', () => content);
}

function documentOf(page: PageDocument, body: string): string {
  const { title, path, navigation, styles, libraries = [], script, header = '' } = page;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON}">
${[...SHARED_STYLES, ...styles].map(href => `<link rel="stylesheet" href="${href}">`).join('\n')}
${libraries.map(source => `<script src="${source}" defer></script>\n`).join('')}<script src="${script}" type="module"></script>
</head>
<body>
<header class="bar">
<a class="brand" href="/">${MARK}Tidegate</a>
<nav aria-label="Pages">${navigation.map(link => anchor(link, path)).join('')}</nav>
${header}
</header>
${body}
</body>
</html>
`;
}

function anchor({ href, label }: PageLink, path: string): string {
  return `<a href="${href}"${href === path ? ' aria-current="page"' : ''}>${label}</a>`;
}
