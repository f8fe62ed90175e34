import type { AdminRoute } from './admin-route.ts';
import { sendJson } from './json.ts';

/** The reasons why the gateway should get no requests at the moment; empty when it is ready. */
export type ReadinessCheck = () => readonly string[];

/**
 * `/healthz`: the supervisor's event loop is running. `/readyz`: the gateway is ready for requests. Both need no token,
 * since probes send none.
 */
export function healthRoutes(notReady: ReadinessCheck): readonly AdminRoute[] {
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
        if (reasons.length === 0) sendJson(response, 200, { status: 'ready' });
        else sendJson(response, 503, { status: 'not ready', reasons });
      },
    },
  ];
}
