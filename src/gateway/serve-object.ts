import type { ObjectRecord } from '../cache/record.ts';
import type { ClientRead } from './client-read.ts';
import type { ExchangeObserver } from './exchange-observer.ts';
import { knownRecord } from './lookup/found.ts';
import { ObjectAnswer, selectBytes } from './object-answer.ts';
import type { ObjectSource } from './object-source.ts';

/** How often an object that changes under a read is looked up anew before its first byte. */
const lookups = 4;

/**
 * Answers a GetObject or HeadObject: record, verdict, selection, body.
 *
 * A record that is known and fresh is answered in this turn of the event loop; anything else when the store has spoken.
 */
export function serveObject(client: ClientRead, source: ObjectSource, observer: ExchangeObserver): void {
  const answer = new ObjectAnswer(client, source, observer, () => lookUp(client, source, observer, 2));
  const record = source.known(client.read, client.nowMs);
  if (record && !lacksChecksums(client, record)) answer.give(knownRecord(record));
  else ask(client, source, answer);
}

/** The object changed before anything of it was sent: the client gets the one that is there now. */
function lookUp(client: ClientRead, source: ObjectSource, observer: ExchangeObserver, attempt: number): void {
  const again = attempt < lookups ? () => lookUp(client, source, observer, attempt + 1) : undefined;
  ask(client, source, new ObjectAnswer(client, source, observer, again));
}

function ask(client: ClientRead, source: ObjectSource, answer: ObjectAnswer): void {
  source
    .find(client.read)
    .then(found => (lacksChecksums(client, found.record) ? source.findWithChecksums(client.read) : found))
    .then(found => answer.give(found))
    .catch(error => answer.fail(error));
}

/** Checksums are shown with all of an object only; one that the store may have and the record lacks is asked for. */
function lacksChecksums(client: ClientRead, record: ObjectRecord): boolean {
  if (!client.visibility.checksums || record.kind !== 'readable' || record.checksums === 'known')
    return false;
  // A part has checksums of its own (behaviours.md 48).
  if (client.read.partNumber !== undefined && record.sizeBytes > 0) return false;
  const selection = selectBytes(client, record);
  if (selection.kind !== 'part') return selection.kind === 'whole';
  return selection.first === 0 && selection.last + 1 === record.sizeBytes;
}
