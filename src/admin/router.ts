import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../base/logger.ts';
import type { TakesBody } from '../transport/request-bodies.ts';
import { AdminError, type AdminRoute, type Sender } from './admin-route.ts';
import { sendJson } from './json.ts';

interface RouterOptions {
  readonly routes: readonly AdminRoute[];
  /** Refuses a request by throwing; called before the route's own code. */
  readonly guard: (route: AdminRoute, request: IncomingMessage) => Sender;
  readonly logger: Logger;
}

export interface Router {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether there is a route that may read the body of `request`. */
  readonly takesBody: TakesBody;
}

/** The request handler of the admin port: guard, route, and one place that maps errors to responses. */
export function createRouter(options: RouterOptions): Router {
  return {
    handle: (request, response) => {
      answer(options, request, response).catch((error: unknown) => refuse(options.logger, error, response));
    },
    takesBody: request => {
      try {
        return findRoute(options, request).route.method !== 'GET';
      } catch {
        // the request will be refused
        return false;
      }
    },
  };
}

async function answer(
  options: RouterOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { route, sender } = findRoute(options, request);
  await route.handle(request, response, sender);
}

/** @throws AdminError when there is none, or the guard refuses the request */
function findRoute({ routes, guard }: RouterOptions, request: IncomingMessage) {
  const path = request.url?.split('?', 1)[0] ?? '';
  const there = routes.filter(route => route.path === path);
  if (there.length === 0) throw new AdminError(404, 'NOT_FOUND', 'nothing is served under this path');
  const route = there.find(({ method }) => matches(method, request.method));
  if (!route) {
    const allow = there.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
    throw new AdminError(405, 'METHOD_NOT_ALLOWED', `this path takes ${allow}`, { allow });
  }
  return { route, sender: guard(route, request) };
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
