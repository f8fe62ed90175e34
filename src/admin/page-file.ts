import { readFileSync } from 'node:fs';
import type { AdminRoute } from './admin-route.ts';

/** Pages may load only their own files and call only the APIs of this port. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const contentTypes = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

type ContentType = keyof typeof contentTypes;

/** A static file that a page loads, read once. It contains no data of the gateway, so it needs no token. */
export function pageFile(path: string, type: ContentType, file: URL | string): AdminRoute {
  const content = readFileSync(file);
  return pageContent(path, type, () => content);
}

/**
 * Files of `src/admin`, each under the path that it has there, such as `/status/page/status.js`: so a module finds the ones
 * it imports in the browser as on disk.
 */
export function ownPageFiles(...paths: readonly `${string}.${'css' | 'js'}`[]): readonly AdminRoute[] {
  return paths.map(path => pageFile(`/${path}`, path.endsWith('.css') ? 'css' : 'js', ownFile(path)));
}

/** The HTML of a page from `<main>` on. */
export function ownHtml(path: `${string}.html`): string {
  return readFileSync(ownFile(path), 'utf8');
}

function ownFile(path: string): URL {
  return new URL(`./${path}`, import.meta.url);
}

/** Like `pageFile`, of content that is built for each request or was at the start. */
export function pageContent(path: string, type: ContentType, contentNow: () => Buffer): AdminRoute {
  const headers = {
    'content-type': contentTypes[type],
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  };
  return {
    method: 'GET',
    path,
    open: true,
    handle(_request, response) {
      const content = contentNow();
      response.writeHead(200, { ...headers, 'content-length': content.byteLength }).end(content);
    },
  };
}
