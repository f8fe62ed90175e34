import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../base/logger.ts';
import { AdminError, type AdminRoute } from './admin-route.ts';
import { sendJson } from './json.ts';

export interface RouterOptions {
  readonly routes: readonly AdminRoute[];
  /** Refuses a request by throwing; called before the route's own code. */
  readonly guard: (route: AdminRoute, headers: IncomingMessage['headers']) => void;
  readonly logger: Logger;
}

/** The request handler of the admin port: guard, route, and one place that maps errors to responses. */
export function createRouter(
  options: RouterOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    answer(options, request, response).catch((error: unknown) => refuse(options.logger, error, response));
  };
}

async function answer(
  { routes, guard }: RouterOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url?.split('?', 1)[0] ?? '';
  const there = routes.filter(route => route.path === path);
  if (there.length === 0) throw new AdminError(404, 'NOT_FOUND', 'nothing is served under this path');
  const route = there.find(({ method }) => matches(method, request.method));
  if (!route) {
    const allow = there.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
    throw new AdminError(405, 'METHOD_NOT_ALLOWED', `this path takes ${allow}`, { allow });
  }
  guard(route, request.headers);
  await route.handle(request, response);
}

/** HEAD is handled like GET; node:http omits the body (RFC 9110 §9.3.2). */
function matches(method: AdminRoute['method'], asked: string | undefined): boolean {
  return method === asked || (method === 'GET' && asked === 'HEAD');
}

function refuse(logger: Logger, error: unknown, response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof AdminError) {
    sendJson(response, error.status, { error: error.code, reason: error.message }, error.headers);
    return;
  }
  logger.error({ err: error }, 'an admin request failed');
  sendJson(response, 500, { error: 'INTERNAL', reason: 'the request failed; the log says why' });
}
