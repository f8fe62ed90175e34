import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { Turns } from '../../base/turns.ts';
import type { StoreChange, ToldChanges } from '../../gateway/operate/store-changes.ts';
import { AdminError, type AdminRoute } from '../admin-route.ts';
import { isJson } from '../guard.ts';
import { readJson, sendJson } from '../json.ts';
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

/** The longest message of a topic; what other senders send is shorter. */
const MAX_BODY_BYTES = 256 * 1024;

/** Bodies that wait for those before them. */
const MAX_WAITING = 32;

/** Topics that are asked at a time; each may take seconds to answer. */
const MAX_CONFIRMATIONS = 4;

/**
 * `POST /api/events`: change notifications of stores, for all backends or the one in `?backend=NAME`. What they name is
 * invalidated before the answer.
 */
export function eventsRoute(events: StoreEvents): AdminRoute {
  // so that senders, however many and fast, leave the workers time for clients
  const turns = new Turns();
  let confirmations = 0;
  const confirm = async (url: URL) => {
    if (confirmations >= MAX_CONFIRMATIONS) throw busy();
    confirmations++;
    await askTopic(events, url).finally(() => {
      confirmations--;
    });
  };
  return {
    method: 'POST',
    path: '/api/events',
    get token() {
      return events.token === undefined ? undefined : { key: 'admin.eventsToken', value: events.token };
    },
    isNoForm: request => isJson(request) || isOfTopic(request),
    async handle(request, response) {
      const backend = backendOf(request);
      if (backend !== undefined && !events.hasBackend(backend))
        throw new AdminError(404, 'UNKNOWN_BACKEND', 'no backend of this name is configured');
      const notices = readNotices(await readJson(request, z.unknown(), MAX_BODY_BYTES));
      if (turns.waiting >= MAX_WAITING) throw busy();
      const told = sortedOut(notices);
      const invalidated = await turns.take(() => invalidate(events, backend, told.changes));
      // not in turn: a topic that is slow to answer holds up no changes
      if (told.topic) await confirm(told.topic);
      sendJson(response, 200, counted(events, { events: notices.length, invalidated, ...told }));
    },
  };
}

function busy(): AdminError {
  return new AdminError(503, 'BUSY', 'too many events are being taken already', { 'retry-after': '1' });
}

/** What a body tells. */
interface Told {
  readonly changes: readonly StoreChange[];
  /** The topic that asks whether it may send. */
  readonly topic: URL | undefined;
}

function sortedOut(notices: readonly Notice[]): Told {
  const confirmation = notices.find(notice => notice.kind === 'confirmation');
  return {
    changes: notices.flatMap(notice => (notice.kind === 'changed' ? [notice.change] : [])),
    topic: confirmation?.url,
  };
}

async function invalidate(
  events: StoreEvents,
  backend: string | undefined,
  changes: readonly StoreChange[],
): Promise<number> {
  return changes.length === 0 ? 0 : events.invalidate({ backend, changes });
}

/** Counts the events of a body, and says how many of them led to what. */
function counted(events: StoreEvents, told: Told & { events: number; invalidated: number }) {
  const { changes, topic, invalidated } = told;
  const confirmed = topic ? 1 : 0;
  const results = {
    invalidated,
    'unknown-bucket': changes.length - invalidated,
    ignored: told.events - changes.length - confirmed,
    confirmed,
  };
  for (const result of ['invalidated', 'unknown-bucket', 'ignored', 'confirmed'] as const)
    if (results[result] > 0) events.count(result, results[result]);
  const { 'unknown-bucket': unknownBucket, ignored } = results;
  return { events: told.events, invalidated, unknownBucket, ignored, confirmed };
}

/** A topic that gets no 2xx asks again. */
async function askTopic(events: StoreEvents, url: URL): Promise<void> {
  try {
    await events.confirm(url);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'no answer';
    throw new AdminError(502, 'NOT_CONFIRMED', `the topic could not be told that it may send: ${why}`);
  }
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
