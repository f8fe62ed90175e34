import type { ObjectRecord } from '../../cache/record.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { ClientRead } from '../request/client-read.ts';
import { cacheHit, type LookupResult } from './lookup-result.ts';
import { ObjectAnswer, selectionFor } from './object-answer.ts';
import type { ObjectSource } from './object-source.ts';
import { WaitingAnswer } from './waiting-answer.ts';

/** How often an object that changes before its first byte is looked up. */
const LOOKUPS = 4;

/**
 * Answers a GetObject or HeadObject: record, preconditions, range selection, body.
 *
 * A fresh cached record is answered in this turn of the event loop; otherwise the answer waits for the store.
 */
export function serveObject(client: ClientRead, source: ObjectSource, observer: ExchangeObserver): void {
  const answer = new ObjectAnswer(client, source, observer, () => lookUp(client, source, observer, 2));
  const record = source.findCached(client.read, client.nowMs);
  if (record && !lacksChecksums(client, record)) answer.give(cacheHit(record));
  else ask(client, source, observer, answer);
}

/** The object changed before anything was sent: repeats the look-up. */
function lookUp(client: ClientRead, source: ObjectSource, observer: ExchangeObserver, attempt: number): void {
  const again = attempt < LOOKUPS ? () => lookUp(client, source, observer, attempt + 1) : undefined;
  ask(client, source, observer, new ObjectAnswer(client, source, observer, again));
}

function ask(
  client: ClientRead,
  source: ObjectSource,
  observer: ExchangeObserver,
  answer: ObjectAnswer,
): void {
  const { read } = client;
  let waiting: WaitingAnswer;
  try {
    waiting = new WaitingAnswer(answer, client, observer);
  } catch (error) {
    answer.fail(error);
    return;
  }
  // this chain does not reference the client, which may disconnect long before the store answers
  source
    .find(read)
    .then(found => (lacksMore(waiting, found) ? source.findWithChecksums(read) : found))
    .then(found => waiting.take()?.give(found))
    .catch(error => waiting.take()?.fail(error));
}

function lacksMore({ client }: WaitingAnswer, { record }: LookupResult): boolean {
  return client !== undefined && lacksChecksums(client, record);
}

/**
 * Checksums are shown only with the whole object; they are requested if the store may have some that the record lacks.
 */
function lacksChecksums(client: ClientRead, record: ObjectRecord): boolean {
  if (!client.visibility.checksums || record.kind !== 'readable' || record.checksums === 'known')
    return false;
  // A part has its own checksums (docs/semantics.md 48).
  if (client.read.partNumber !== undefined && record.sizeBytes > 0) return false;
  const selection = selectionFor(client, record);
  if (selection.kind !== 'part') return selection.kind === 'whole';
  return selection.first === 0 && selection.last + 1 === record.sizeBytes;
}
