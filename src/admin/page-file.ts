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

/** A static file of a page, read once. It contains no data of the gateway, so it needs no token. */
export function pageFile(path: string, type: keyof typeof contentTypes, file: URL | string): AdminRoute {
  const content = readFileSync(file);
  const headers = {
    'content-type': contentTypes[type],
    'content-length': content.byteLength,
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  };
  return {
    method: 'GET',
    path,
    open: true,
    handle: (_request, response) => void response.writeHead(200, headers).end(content),
  };
}

/** The colours shared by all pages. Each page has its own copy of the route, since pages are served independently. */
export function paletteFile(path: string): AdminRoute {
  return pageFile(path, 'css', new URL('./palette.css', import.meta.url));
}
