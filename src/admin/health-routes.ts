import type { AdminRoute } from './admin-route.ts';
import { sendJson } from './json.ts';

/** Why the gateway should get no requests just now, in words; empty when it should. */
export type ReadinessCheck = () => readonly string[];

/**
 * `/healthz`: the supervisor's event loop answers. `/readyz`: nothing speaks against sending requests.
 * Both are open, since probes carry no token.
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
