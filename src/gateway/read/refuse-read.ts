import { recordName } from '../../cache/record.ts';
import { s3Error } from '../../s3/error.ts';
import { RefusedByStoreError } from '../fill/fill-error.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { ClientRead } from '../request/client-read.ts';
import type { ObjectRead } from '../request/object-read.ts';
import type { LookupResult } from './lookup-result.ts';
import { ObjectAnswer } from './object-answer.ts';
import type { ObjectSource } from './object-source.ts';
import { WaitingAnswer } from './waiting-answer.ts';

/**
 * Answers a read to somebody who may not read the object: forbidden. Only that nothing is there is told to those who may
 * list, as the store tells it (docs/semantics.md, States and transitions and Authentication 4; docs/semantics.md 111
 * to 117). Whoever may list sees keys and no versions, and learns nothing of one (docs/semantics.md 109).
 */
export function refuseRead(client: ClientRead, source: ObjectSource, observer: ExchangeObserver): void {
  const forbidden = s3Error('AccessDenied');
  if (!client.mayKnowMissing || client.read.versionId !== undefined) throw forbidden;
  const answer = new ObjectAnswer(client, source, observer, undefined);
  const waiting = new WaitingAnswer(answer, client, observer);
  findAbsence(client.read, source)
    .then(found => (found ? waiting.take()?.give(found) : waiting.take()?.fail(forbidden)))
    // whatever else the store says of the object would tell that there is one
    .catch(error => waiting.take()?.fail(error instanceof RefusedByStoreError ? forbidden : error));
}

/** What the store says of an object that is not there; undefined for one that is. No bytes are fetched to find out. */
async function findAbsence(read: ObjectRead, source: ObjectSource): Promise<LookupResult | undefined> {
  const name = recordName(read.versionId, read.variant, 'HEAD');
  const found = await source.find({ ...read, method: 'HEAD', recordName: name, partNumber: undefined });
  if (!tellsAbsence(found)) return undefined;
  if (read.method === 'HEAD') return found;
  // only GET is answered in words
  const told = await source.find(read);
  return tellsAbsence(told) ? told : undefined;
}

/** Missing, or deleted, which says so (docs/semantics.md 101). */
function tellsAbsence({ record }: LookupResult): boolean {
  return record.kind === 'refused' && record.status === 404;
}
