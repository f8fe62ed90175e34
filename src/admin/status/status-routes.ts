import type { AdminRoute } from '../admin-route.ts';
import { sendJson } from '../json.ts';
import { documentRoute } from '../page-document.ts';
import { ownHtml, ownPageFiles } from '../page-file.ts';
import { libraryRoutes } from '../page-libraries.ts';
import type { PageLink } from '../page-navigation.ts';
import type { StatusReport } from './status-report.ts';

const HEADER = `<p id="about" class="subtle"></p>
<p id="state" class="state" data-state="connecting" role="status">connecting</p>`;

/** `GET /api/status` and the page that shows it. */
export function statusRoutes(
  report: () => Promise<StatusReport>,
  navigation: readonly PageLink[],
): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/status',
      handle: async (_request, response) => sendJson(response, 200, await report()),
    },
    documentRoute({
      ...{ path: '/', title: 'Tidegate', navigation, header: HEADER },
      styles: ['/status/page/uplot.css', '/status/page/charts.css', '/status/page/status.css'],
      libraries: ['/status/page/uplot.js'],
      script: '/status/page/status.js',
      body: ownHtml('status/page/status.html'),
    }),
    ...ownPageFiles(
      'status/page/charts.css',
      'status/page/status.css',
      ...(
        ['status', 'traffic', 'chart', 'charts', 'lone-points', 'alerts', 'alert-form', 'figures'] as const
      ).map(module => `status/page/${module}.js` as const),
    ),
    ...libraryRoutes('/status/page/uplot.css', 'status/page/uplot.css'),
    ...libraryRoutes('/status/page/uplot.js', 'status/page/uplot.js'),
  ];
}
