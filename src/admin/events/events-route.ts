import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { AdminError, type AdminRoute } from '../admin-route.ts';
import { isJson } from '../guard.ts';
import { readJson, sendJson } from '../json.ts';
import { MAX_BODY_BYTES, type TakeEvents } from './take-events.ts';

/** Who may send events, and for what. */
export interface EventSenders {
  /** The token that those who send events have; undefined: that of the admin port. */
  readonly token: string | undefined;
  readonly hasBackend: (name: string) => boolean;
}

/**
 * `POST /api/events`: change notifications of stores, for all backends or the one in `?backend=NAME`. What they name is
 * invalidated before the answer.
 */
export function eventsRoute(senders: EventSenders, take: TakeEvents): AdminRoute {
  return {
    method: 'POST',
    path: '/api/events',
    get token() {
      return senders.token === undefined ? undefined : { key: 'admin.eventsToken', value: senders.token };
    },
    isNoForm: request => isJson(request) || isOfTopic(request),
    async handle(request, response) {
      const backend = backendOf(request);
      if (backend !== undefined && !senders.hasBackend(backend))
        throw new AdminError(404, 'UNKNOWN_BACKEND', 'no backend of this name is configured');
      sendJson(response, 200, await take(await readJson(request, z.unknown(), MAX_BODY_BYTES), backend));
    },
  };
}

/** Topics send their JSON as text, with a field that no form can have. */
function isOfTopic({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['x-amz-sns-message-type'] !== undefined;
}

function backendOf({ url = '' }: IncomingMessage): string | undefined {
  const query = new URLSearchParams(url.split('?', 2)[1]);
  for (const name of query.keys())
    if (name !== 'backend')
      throw new AdminError(400, 'INVALID_QUERY', 'the query may have backend=NAME alone');
  return query.get('backend') ?? undefined;
}
