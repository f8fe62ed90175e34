import { type ObjectRecord, recordName } from '../../cache/record.ts';
import { readAction } from '../../s3/grants.ts';
import { NotCachedError, RefusedByStoreError } from '../fill/fill-error.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import { Representations } from '../reply/representations.ts';
import { noGrant } from '../request/access.ts';
import { CacheReports, cacheHit } from '../request/cache-status.ts';
import type { ClientRead } from '../request/client-read.ts';
import { readAtFallback } from '../request/fallback-bucket.ts';
import type { ObjectRead } from '../request/object-read.ts';
import { type AnswerParts, type FailedRead, ObjectAnswer } from './object-answer.ts';
import type { Asker, LookupResult, ObjectSource, ObjectSources } from './object-source.ts';
import { passRead } from './pass-read.ts';
import { lookupFresh } from './record-cache.ts';
import { selectionFor } from './selection.ts';
import { mayFallBack } from './store-failure.ts';
import { WaitingAnswer } from './waiting-answer.ts';
import { Website } from './website.ts';

/** How often the look-up is repeated for an object that changes before its first byte. */
const REPEATED_LOOKUPS = 3;

/** Answers GetObject and HeadObject in one worker: record, preconditions, range selection, body. */
export class ObjectServer implements AnswerParts {
  readonly observer: ExchangeObserver;
  readonly representations = new Representations();
  readonly reports = new CacheReports();

  readonly website: Website;
  readonly #sources: ObjectSources;

  constructor(observer: ExchangeObserver, sources: ObjectSources) {
    this.observer = observer;
    this.#sources = sources;
    this.website = new Website(observer, sources, this.reports, client =>
      this.serve(client, sources.sourceOf(client.read.objectKey.hash)),
    );
  }

  /**
   * A fresh cached record is answered in this turn of the event loop; otherwise the answer waits for the store.
   *
   * @param failed set when this reads from the fallback store
   */
  serve(client: ClientRead, source: ObjectSource, failed?: FailedRead): void {
    const answer = new ObjectAnswer(client, source, this, REPEATED_LOOKUPS, failed);
    const { directives, policy } = client.read;
    if (policy.mode === 'bypass') {
      if (directives?.onlyIfCached) answer.fail(new NotCachedError());
      else passRead(client, this.observer, 'rule');
      return;
    }
    // the owner of the object knows what is held of it
    const record = directives?.onlyIfCached
      ? undefined
      : lookupFresh(source.records, client.read, client.nowMs);
    if (record && !lacksChecksums(client, record)) answer.answer(record, cacheHit);
    else if (directives?.noStore && !directives.onlyIfCached) passRead(client, this.observer, 'no-store');
    else this.#ask(client, source, answer);
  }

  /**
   * Refuses a read without permission: AccessDenied. Only callers with ListBucket are told that the key is missing, in
   * the store's words (docs/semantics.md, States and transitions and Authentication 4; docs/semantics.md 111 to 117).
   * ListBucket does not show versions, so it reveals nothing about one (docs/semantics.md 109).
   */
  refuse(client: ClientRead, source: ObjectSource): void {
    const forbidden = noGrant(readAction(client.read.versionId));
    if (client.page) {
      this.website.answerInstead(client, client.page, 403, () => client.exchange.refuse(forbidden));
      return;
    }
    if (!client.mayKnowMissing || client.read.versionId !== undefined) throw forbidden;
    const answer = new ObjectAnswer(client, source, this, 0);
    const waiting = new WaitingAnswer(answer, client, this.observer);
    findAbsence(client.read, source, waiting.asker)
      .then(found => (found ? waiting.take()?.answer(found.record, found) : waiting.take()?.fail(forbidden)))
      // any other answer of the store would reveal that the object exists
      .catch(error => waiting.take()?.fail(error instanceof RefusedByStoreError ? forbidden : error));
  }

  lookUpAgain(client: ClientRead, source: ObjectSource, left: number, failed?: FailedRead): void {
    this.#ask(client, source, new ObjectAnswer(client, source, this, left, failed));
  }

  fallBack(client: ClientRead, failure: unknown): boolean {
    const elsewhere = mayFallBack(failure) ? readAtFallback(client) : undefined;
    if (!elsewhere) return false;
    this.observer.fallbacks.cell(client.read.bucket.store.name).add();
    const source = this.#sources.sourceOf(elsewhere.read.objectKey.hash);
    this.serve({ ...client, ...elsewhere }, source, { client, failure });
    return true;
  }

  #ask(client: ClientRead, source: ObjectSource, answer: ObjectAnswer): void {
    const { read } = client;
    let waiting: WaitingAnswer<ObjectAnswer>;
    try {
      waiting = new WaitingAnswer(answer, client, this.observer);
    } catch (error) {
      answer.fail(error);
      return;
    }
    // this chain does not reference the client, which may disconnect long before the store answers
    const { asker } = waiting;
    source
      .find(read, false, asker)
      .then(found =>
        waiting.client && lacksChecksums(waiting.client, found.record)
          ? source.find(read, true, asker)
          : found,
      )
      .then(found => waiting.take()?.answer(found.record, found))
      .catch(error => waiting.take()?.fail(error));
  }
}

/**
 * Checksums are shown only with the whole object; they are requested if the store may have some that the record lacks.
 */
function lacksChecksums(client: ClientRead, record: ObjectRecord): boolean {
  if (!client.visibility.checksums || record.kind !== 'readable' || record.checksums === 'known')
    return false;
  // A part has its own checksums (docs/semantics.md 48).
  if (client.read.partNumber !== undefined && record.sizeBytes > 0) return false;
  // of what the store has, which is what who asks for checksums gets
  const selection = selectionFor(client, record, false);
  if (selection.kind !== 'part') return selection.kind === 'whole';
  return selection.first === 0 && selection.last + 1 === record.sizeBytes;
}

/** The store's answer for an object that does not exist; undefined if it does. Fetches no bytes. */
async function findAbsence(
  read: ObjectRead,
  source: ObjectSource,
  asker: Asker,
): Promise<LookupResult | undefined> {
  const name = recordName(read.versionId, read.variant, 'HEAD');
  const asked = { ...read, directives: undefined, partNumber: undefined };
  const found = await source.find({ ...asked, method: 'HEAD', recordName: name }, false, asker);
  if (!tellsAbsence(found)) return undefined;
  if (read.method === 'HEAD') return found;
  // only GET has an error body; a refusal of a part would not be one of the object
  const told = await source.find(asked, false, asker);
  return tellsAbsence(told) ? told : undefined;
}

/** Missing or deleted (docs/semantics.md 101). */
function tellsAbsence({ record }: LookupResult): boolean {
  return record.kind === 'refused' && record.status === 404;
}
