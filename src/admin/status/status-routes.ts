import { readFileSync } from 'node:fs';
import type { AdminRoute } from '../admin-route.ts';
import { sendJson } from '../json.ts';
import type { StatusReport } from './status-report.ts';

/** The page is made of its own files and the status API, and may talk to nobody else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * `GET /api/status` and the page that shows it. The page's files hold nothing themselves and are open: where a
 * token is set, the page asks for it and sends it along.
 */
export function statusRoutes(report: () => Promise<StatusReport>): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/status',
      handle: async (_request, response) => sendJson(response, 200, await report()),
    },
    pageFile('/', 'text/html; charset=utf-8', 'status.html'),
    pageFile('/status.css', 'text/css; charset=utf-8', 'status.css'),
    pageFile('/status.js', 'text/javascript; charset=utf-8', 'status.js'),
  ];
}

function pageFile(path: string, contentType: string, name: string): AdminRoute {
  const content = readFileSync(new URL(`./page/${name}`, import.meta.url));
  const headers = {
    'content-type': contentType,
    'content-length': content.byteLength,
    'content-security-policy': CONTENT_SECURITY_POLICY,
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
