import { Turns } from '../../base/turns.ts';
import type { StoreChange, ToldChanges } from '../../gateway/operate/store-changes.ts';
import { AdminError } from '../admin-route.ts';
import { type Notice, readNotices } from './notices.ts';

/** What the events of a store lead to. */
export interface EventEffects {
  /** Invalidates what is cached of these; resolves to how many are in a bucket that clients can read. */
  readonly invalidate: (changes: ToldChanges) => Promise<number>;
  /** Says yes to a topic. Rejects when it cannot be reached. */
  readonly confirm: (url: URL) => Promise<void>;
  /** Counts events. */
  readonly count: (result: EventResult, events: number) => void;
}

/** `refused` is counted by who has found that a message is not signed. */
type EventResult = 'invalidated' | 'unknown-bucket' | 'ignored' | 'confirmed' | 'refused';

/** How many events one body had, and how many of them led to what. */
interface EventCounts {
  readonly events: number;
  readonly invalidated: number;
  readonly unknownBucket: number;
  readonly ignored: number;
  readonly confirmed: number;
}

/**
 * Takes what a store or those who pass its events on have sent, as `readNotices` reads it. Once it resolves, no worker serves
 * what was learned before of the objects that are named.
 *
 * @param backend the one that it is for; undefined for every one that has the bucket
 * @throws AdminError: 400 and 413 for what cannot be taken, 502 where a topic could not be told that it may send, 503 for what
 *   is to be sent again
 */
export type TakeEvents = (body: unknown, backend: string | undefined) => Promise<EventCounts>;

/** The longest message of a topic; what other senders send is shorter. */
export const MAX_BODY_BYTES = 256 * 1024;

/** Bodies that wait for those before them. */
const MAX_WAITING = 32;

/** Topics that are asked at a time; each may take seconds to answer. */
const MAX_CONFIRMATIONS = 4;

/** One for all ways on which events come, so that senders, however many and fast, leave the workers time for clients. */
export function eventTaker(effects: EventEffects): TakeEvents {
  const turns = new Turns();
  let confirmations = 0;
  const confirm = async (url: URL) => {
    if (confirmations >= MAX_CONFIRMATIONS) throw busy();
    confirmations++;
    await askTopic(effects, url).finally(() => {
      confirmations--;
    });
  };
  return async (body, backend) => {
    const notices = readNotices(body);
    if (turns.waiting >= MAX_WAITING) throw busy();
    const told = sortedOut(notices);
    const invalidated = await turns.take(() => invalidate(effects, backend, told.changes));
    // not in turn: a topic that is slow to answer holds up no changes
    if (told.topic) await confirm(told.topic);
    return counted(effects, { events: notices.length, invalidated, ...told });
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
  { invalidate }: EventEffects,
  backend: string | undefined,
  changes: readonly StoreChange[],
): Promise<number> {
  return changes.length === 0 ? 0 : invalidate({ backend, changes });
}

/** Counts the events of a body, and says how many of them led to what. */
function counted(
  { count }: EventEffects,
  told: Told & { readonly events: number; readonly invalidated: number },
): EventCounts {
  const { changes, topic, invalidated } = told;
  const confirmed = topic ? 1 : 0;
  const results = {
    invalidated,
    'unknown-bucket': changes.length - invalidated,
    ignored: told.events - changes.length - confirmed,
    confirmed,
  };
  for (const result of ['invalidated', 'unknown-bucket', 'ignored', 'confirmed'] as const)
    if (results[result] > 0) count(result, results[result]);
  const { 'unknown-bucket': unknownBucket, ignored } = results;
  return { events: told.events, invalidated, unknownBucket, ignored, confirmed };
}

/** A topic that gets no 2xx asks again. */
async function askTopic({ confirm }: EventEffects, url: URL): Promise<void> {
  try {
    await confirm(url);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'no answer';
    throw new AdminError(502, 'NOT_CONFIRMED', `the topic could not be told that it may send: ${why}`);
  }
}
