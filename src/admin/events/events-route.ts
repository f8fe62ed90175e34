import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { AdminError, type AdminRoute } from '../admin-route.ts';
import { isJson, unauthorized } from '../guard.ts';
import { readJson, sendJson } from '../json.ts';
import { MAX_BODY_BYTES, type TakeEvents } from './take-events.ts';

/** Who may send events, and for what. */
export interface EventSenders {
  /** The token that those who send events have; undefined: that of the admin port. */
  readonly token: string | undefined;
  readonly hasBackend: (name: string) => boolean;
  /**
   * Checks the envelope of a topic, and gives what its signature is of, see `verifyMessage`. Undefined: no topics are listed, and
   * the envelope of any topic is taken from who has the token.
   */
  readonly verify: ((envelope: unknown) => Promise<unknown>) | undefined;
}

/**
 * `POST /api/events`: change notifications of stores, for all backends or the one in `?backend=NAME`. What they name is
 * invalidated before the answer. Where topics are listed, an envelope has to be signed by one of these, and needs no token then.
 */
export function eventsRoute(senders: EventSenders, take: TakeEvents): AdminRoute {
  return {
    method: 'POST',
    path: '/api/events',
    get token() {
      return senders.token === undefined ? undefined : { key: 'admin.eventsToken', value: senders.token };
    },
    // the body tells whether it is an envelope: the field of topics is not signed
    mayProve: request => senders.verify !== undefined && isNoForm(request),
    isNoForm,
    async handle(request, response, sender) {
      const body = await readJson(request, z.unknown(), MAX_BODY_BYTES);
      const { verify } = senders;
      const isSigned = verify !== undefined && isEnvelope(body);
      if (sender === 'unproven' && !isSigned) throw unauthorized(this);
      if (verify && Array.isArray(body) && body.some(isEnvelope))
        throw new AdminError(400, 'INVALID_BODY', 'the envelope of a topic comes alone');
      const proven = isSigned ? await verify(body) : body;
      const backend = backendOf(request);
      if (backend !== undefined && !senders.hasBackend(backend))
        throw new AdminError(404, 'UNKNOWN_BACKEND', 'no backend of this name is configured');
      sendJson(response, 200, await take(proven, backend));
    },
  };
}

function isEnvelope(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, 'Type');
}

/** Topics send their JSON as text, with a field that no form can have. */
function isNoForm(request: Pick<IncomingMessage, 'headers'>): boolean {
  return isJson(request) || request.headers['x-amz-sns-message-type'] !== undefined;
}

function backendOf({ url = '' }: IncomingMessage): string | undefined {
  const query = new URLSearchParams(url.split('?', 2)[1]);
  for (const name of query.keys())
    if (name !== 'backend')
      throw new AdminError(400, 'INVALID_QUERY', 'the query may have backend=NAME alone');
  return query.get('backend') ?? undefined;
}
