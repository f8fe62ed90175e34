import type { MetricSnapshot } from '../base/metric-snapshot.ts';
import { renderSnapshot } from '../base/metric-snapshot.ts';
import type { AdminRoute } from './admin-route.ts';

/** `GET /metrics`: the metrics of the whole process, in OpenMetrics format when the Accept header asks for it. */
export function metricsRoute(scrape: () => Promise<MetricSnapshot>): AdminRoute {
  return {
    method: 'GET',
    path: '/metrics',
    async handle(request, response) {
      const open = request.headers.accept?.includes('application/openmetrics-text') ?? false;
      const { contentType, text } = await renderSnapshot(await scrape(), open ? 'openmetrics' : 'prometheus');
      response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text);
    },
  };
}
