import { z } from 'zod';
import type { StoreChange } from '../../gateway/operate/store-changes.ts';
import { AdminError } from '../admin-route.ts';
import { validated } from '../json.ts';

/** What one event of a store means to a cache. */
export type Notice =
  | { readonly kind: 'changed'; readonly change: StoreChange }
  /** Nothing that is cached has changed, such as a read or a test. */
  | { readonly kind: 'ignored' }
  /** A topic asks whether it may send here: asking `url` says yes. */
  | { readonly kind: 'confirmation'; readonly url: URL };

const ignored: Notice = { kind: 'ignored' };

const text = z.string({ error: 'a text' }).min(1, { error: 'a text that is not empty' });

/** Stores send one or some at a time; each costs time of every worker. */
const MAX_EVENTS = 500;

/** What is looked at first, so that too many records are refused before each of them is checked and its faults are listed. */
const anyRecords = z.looseObject({
  Records: z.array(z.unknown(), { error: 'a list of event records' }),
});

/** An event of the store's own API, as it is sent to webhooks, queues and topics. */
const records = z.looseObject({
  Records: z.array(
    z.looseObject({
      eventName: text,
      s3: z.looseObject({
        bucket: z.looseObject({ name: text }),
        object: z.looseObject({ key: z.string({ error: 'a text' }) }).optional(),
      }),
    }),
    { error: 'a list of event records' },
  ),
});

/** The same as an event bus has it. */
const busEvent = z.looseObject({
  'detail-type': text,
  detail: z.looseObject({
    bucket: z.looseObject({ name: text }),
    object: z.looseObject({ key: text }).optional(),
  }),
});

/** The envelope of a topic. */
const envelope = z.discriminatedUnion(
  'Type',
  [
    z.looseObject({ Type: z.literal('Notification'), Message: text }),
    z.looseObject({ Type: z.literal('SubscriptionConfirmation'), SubscribeURL: text }),
    z.looseObject({ Type: z.literal('UnsubscribeConfirmation') }),
  ],
  { error: 'Notification, SubscriptionConfirmation or UnsubscribeConfirmation' },
);

/**
 * Reads what stores and those who pass their events on send: event records of the store's API, single or in a list, alone, in
 * the envelope of a topic (Amazon SNS) or as events of a bus (Amazon EventBridge).
 *
 * @throws AdminError 400, naming what is wrong, or 413 for too many: then none of the events counts
 */
export function readNotices(body: unknown): Notice[] {
  const sent: readonly unknown[] = Array.isArray(body) ? body : [body];
  requireFew(sent);
  return requireOneTopic(requireFew(sent.flatMap(readOne)));
}

function readOne(body: unknown): Notice[] {
  const has = (name: string) => typeof body === 'object' && body !== null && Object.hasOwn(body, name);
  if (has('Records')) {
    requireFew(validated(anyRecords, body).Records);
    return validated(records, body).Records.map(noticeOf);
  }
  if (has('detail-type')) return [busNotice(validated(busEvent, body))];
  if (has('Type')) return readEnvelope(validated(envelope, body));
  // what a store sends to see whether anybody is there
  if (has('Event') && has('Bucket')) return [ignored];
  throw new AdminError(
    400,
    'INVALID_BODY',
    'the body has neither Records of a store, nor an event of a bus or a topic',
  );
}

/** @throws AdminError 413 */
function requireFew<Events extends readonly unknown[]>(events: Events): Events {
  if (events.length <= MAX_EVENTS) return events;
  throw new AdminError(413, 'TOO_MANY_EVENTS', `a body may have at most ${MAX_EVENTS} events`);
}

/** A topic sends its question alone; the topic itself is asked to answer it. @throws AdminError 400 */
function requireOneTopic(notices: Notice[]): Notice[] {
  if (notices.filter(({ kind }) => kind === 'confirmation').length <= 1) return notices;
  throw new AdminError(400, 'INVALID_BODY', 'SubscribeURL: a body may confirm one topic');
}

type Recorded = z.output<typeof records>['Records'][number];

function noticeOf({ eventName, s3: { bucket, object } }: Recorded): Notice {
  const name = eventName.replace(/^s3:/, '');
  // a read changes nothing, and those of the gateway itself are among them
  if (name.startsWith('ObjectAccessed:')) return ignored;
  const key = object?.key ?? '';
  const keys = key === '' ? undefined : spellings(key);
  return changed({ bucket: bucket.name, keys }, name.startsWith('ObjectCreated:'));
}

function changed(change: StoreChange, isWritten: boolean): Notice {
  return { kind: 'changed', change: isWritten ? { ...change, isWritten } : change };
}

/** Amazon S3 and MinIO encode the key as a form does, others do not encode it: the key itself does not tell. */
function spellings(key: string): string[] {
  try {
    return [...new Set([key, decodeURIComponent(key.replaceAll('+', ' '))])];
  } catch {
    return [key];
  }
}

function busNotice({ 'detail-type': type, detail: { bucket, object } }: z.output<typeof busEvent>): Notice {
  if (object === undefined) return ignored;
  return changed({ bucket: bucket.name, keys: [object.key] }, type === 'Object Created');
}

function readEnvelope(message: z.output<typeof envelope>): Notice[] {
  switch (message.Type) {
    case 'Notification':
      return readMessage(message.Message);
    case 'SubscriptionConfirmation':
      return [{ kind: 'confirmation', url: topicUrl(message.SubscribeURL) }];
    case 'UnsubscribeConfirmation':
      return [ignored];
  }
}

function readMessage(message: string): Notice[] {
  let inner: unknown;
  try {
    inner = JSON.parse(message);
  } catch {
    throw new AdminError(400, 'INVALID_BODY', 'Message: no JSON');
  }
  const isEnvelope = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'Type');
  if (isEnvelope) throw new AdminError(400, 'INVALID_BODY', 'Message: an envelope in an envelope');
  return readNotices(inner);
}

/** The service itself is asked for this alone: another address would have the gateway ask whatever it can reach. */
function topicUrl(given: string): URL {
  const url = URL.parse(given);
  const isService = /^sns\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/.test(url?.host ?? '');
  const isConsent = url?.pathname === '/' && url.searchParams.get('Action') === 'ConfirmSubscription';
  if (url?.protocol === 'https:' && isService && url.username === '' && isConsent) return url;
  const expected = 'https://sns.<region>.amazonaws.com/?Action=ConfirmSubscription&…';
  throw new AdminError(400, 'INVALID_BODY', `SubscribeURL: expected ${expected}`);
}
