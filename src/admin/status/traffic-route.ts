import { AdminError, type AdminRoute } from '../admin-route.ts';
import { sendJson } from '../json.ts';
import type { TrafficHistory } from './traffic-history.ts';

/** `GET /api/status/history`: the traffic of the last hour; with `?after=N`, what came since `next` was N. */
export function trafficRoute(history: Pick<TrafficHistory, 'report'>): AdminRoute {
  return {
    method: 'GET',
    path: '/api/status/history',
    handle(request, response) {
      const after = new URL(request.url ?? '/', 'http://admin').searchParams.get('after') ?? '0';
      if (!/^\d{1,15}$/.test(after))
        throw new AdminError(
          400,
          'INVALID_QUERY',
          'after: a whole number, the value of next in an earlier answer',
        );
      sendJson(response, 200, history.report(Number(after)));
    },
  };
}
