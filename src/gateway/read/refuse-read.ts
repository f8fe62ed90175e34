import { recordName } from '../../cache/record.ts';
import { s3Error } from '../../s3/error.ts';
import { RefusedByStoreError } from '../fill/fill-error.ts';
import type { ClientRead } from '../request/client-read.ts';
import type { ObjectRead } from '../request/object-read.ts';
import { type AnswerParts, ObjectAnswer } from './object-answer.ts';
import type { LookupResult, ObjectSource } from './object-source.ts';
import { WaitingAnswer } from './waiting-answer.ts';

/**
 * Refuses a read without permission: AccessDenied. Only callers with ListBucket are told that the key is missing, in
 * the store's words (docs/semantics.md, States and transitions and Authentication 4; docs/semantics.md 111 to 117).
 * ListBucket does not show versions, so it reveals nothing about one (docs/semantics.md 109).
 */
export function refuseRead(client: ClientRead, source: ObjectSource, parts: AnswerParts): void {
  const forbidden = s3Error('AccessDenied');
  if (!client.mayKnowMissing || client.read.versionId !== undefined) throw forbidden;
  const answer = new ObjectAnswer(client, source, parts, 0);
  const waiting = new WaitingAnswer(answer, client, parts.observer);
  findAbsence(client.read, source)
    .then(found => (found ? waiting.take()?.answer(found.record, found) : waiting.take()?.fail(forbidden)))
    // any other answer of the store would reveal that the object exists
    .catch(error => waiting.take()?.fail(error instanceof RefusedByStoreError ? forbidden : error));
}

/** The store's answer for an object that does not exist; undefined if it does. Fetches no bytes. */
async function findAbsence(read: ObjectRead, source: ObjectSource): Promise<LookupResult | undefined> {
  const name = recordName(read.versionId, read.variant, 'HEAD');
  const found = await source.find({ ...read, method: 'HEAD', recordName: name, partNumber: undefined });
  if (!tellsAbsence(found)) return undefined;
  if (read.method === 'HEAD') return found;
  // only GET has an error body
  const told = await source.find(read);
  return tellsAbsence(told) ? told : undefined;
}

/** Missing or deleted (docs/semantics.md 101). */
function tellsAbsence({ record }: LookupResult): boolean {
  return record.kind === 'refused' && record.status === 404;
}
