import type { AdminRoute } from './admin-route.ts';
import { sendJson } from './json.ts';

/** The reasons why the gateway should get no requests at the moment; empty when it is ready. */
type ReadinessCheck = () => readonly string[];

/**
 * `/healthz`: the supervisor's event loop is running. `/readyz`: the gateway is ready for requests, with `warnings` on
 * what is wrong all the same. Both need no token, since probes send none.
 */
export function healthRoutes(notReady: ReadinessCheck, warnings: ReadinessCheck): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      open: true,
      handle: (_request, response) => sendJson(response, 200, { status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      open: true,
      handle: (_request, response) => {
        const reasons = notReady();
        const told = warnings().length === 0 ? {} : { warnings: warnings() };
        if (reasons.length === 0) sendJson(response, 200, { status: 'ready', ...told });
        else sendJson(response, 503, { status: 'not ready', reasons, ...told });
      },
    },
  ];
}
