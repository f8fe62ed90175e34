import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { Turns } from '../../base/turns.ts';
import type { ToldChanges } from '../../gateway/operate/store-changes.ts';
import { AdminError, type AdminRoute } from '../admin-route.ts';
import { isJson, readJson, sendJson } from '../json.ts';
import { type Notice, readNotices } from './notices.ts';

/** What the events of a store lead to. */
export interface StoreEvents {
  /** The token that those who send events have; undefined: that of the admin port. */
  readonly token: string | undefined;
  readonly hasBackend: (name: string) => boolean;
  /** Invalidates what is cached of these; resolves to how many are in a bucket that clients can read. */
  readonly invalidate: (changes: ToldChanges) => Promise<number>;
  /** Says yes to a topic. Rejects when it cannot be reached. */
  readonly confirm: (url: URL) => Promise<void>;
  /** Counts events. */
  readonly count: (result: EventResult, events: number) => void;
}

type EventResult = 'invalidated' | 'unknown-bucket' | 'ignored' | 'confirmed';

/** That of topics, which others do not reach. */
const MAX_BODY_BYTES = 256 * 1024;

/** Bodies that wait for those before them. */
const MAX_WAITING = 32;

/**
 * `POST /api/events`: change notifications of stores, for all backends or the one in `?backend=NAME`. What they name is
 * invalidated before the answer.
 */
export function eventsRoute(events: StoreEvents): AdminRoute {
  // so that senders, however many and fast, leave the workers time for clients
  const turns = new Turns();
  return {
    method: 'POST',
    path: '/api/events',
    get token() {
      return events.token;
    },
    anyContentType: true,
    async handle(request, response) {
      requireUnusualRequest(request);
      const backend = backendOf(request);
      if (backend !== undefined && !events.hasBackend(backend))
        throw new AdminError(404, 'UNKNOWN_BACKEND', 'no backend of this name is configured');
      const notices = readNotices(await readJson(request, z.unknown(), MAX_BODY_BYTES));
      if (turns.waiting >= MAX_WAITING) throw busy();
      sendJson(response, 200, await turns.take(() => take(events, notices, backend)));
    },
  };
}

function busy(): AdminError {
  return new AdminError(503, 'BUSY', 'too many events are being taken already', { 'retry-after': '1' });
}

async function take(events: StoreEvents, notices: readonly Notice[], backend: string | undefined) {
  const changes = notices.flatMap(notice => (notice.kind === 'changed' ? [notice.change] : []));
  const urls = notices.flatMap(notice => (notice.kind === 'confirmation' ? [notice.url] : []));
  for (const url of urls) await confirm(events, url);
  const invalidated = changes.length === 0 ? 0 : await events.invalidate({ backend, changes });
  const results = {
    invalidated,
    'unknown-bucket': changes.length - invalidated,
    ignored: notices.length - changes.length - urls.length,
    confirmed: urls.length,
  };
  for (const result of ['invalidated', 'unknown-bucket', 'ignored', 'confirmed'] as const)
    if (results[result] > 0) events.count(result, results[result]);
  return {
    events: notices.length,
    invalidated,
    unknownBucket: results['unknown-bucket'],
    ignored: results.ignored,
    confirmed: results.confirmed,
  };
}

/** A topic that gets no 2xx asks again. */
async function confirm(events: StoreEvents, url: URL): Promise<void> {
  try {
    await events.confirm(url);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'no answer';
    throw new AdminError(502, 'NOT_CONFIRMED', `the topic could not be told that it may send: ${why}`);
  }
}

/** JSON, or a field that only a topic sends: a form of another site, in a browser that reaches this port, has neither. */
function requireUnusualRequest({ headers }: IncomingMessage): void {
  if (isJson(headers['content-type']) || headers['x-amz-sns-message-type'] !== undefined) return;
  throw new AdminError(415, 'UNSUPPORTED_MEDIA_TYPE', 'events need content-type: application/json');
}

function backendOf({ url = '' }: IncomingMessage): string | undefined {
  const query = new URLSearchParams(url.split('?', 2)[1]);
  for (const name of query.keys())
    if (name !== 'backend')
      throw new AdminError(400, 'INVALID_QUERY', 'the query may have backend=NAME alone');
  return query.get('backend') ?? undefined;
}
