import type { AdminRoute } from '../admin-route.ts';
import { sendJson } from '../json.ts';
import { pageFile, paletteFile } from '../page-file.ts';
import type { StatusReport } from './status-report.ts';

/**
 * `GET /api/status` and the page that shows it. If a token is set, the page's files are served without it; the page
 * asks for the token and sends it with its requests.
 */
export function statusRoutes(report: () => Promise<StatusReport>): readonly AdminRoute[] {
  const own = (name: string) => new URL(`./page/${name}`, import.meta.url);
  return [
    {
      method: 'GET',
      path: '/api/status',
      handle: async (_request, response) => sendJson(response, 200, await report()),
    },
    pageFile('/', 'html', own('status.html')),
    paletteFile('/palette.css'),
    pageFile('/status.css', 'css', own('status.css')),
    ...['status.js', 'elements.js', 'format.js'].map(name => pageFile(`/${name}`, 'js', own(name))),
  ];
}
