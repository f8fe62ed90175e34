import type { ReadableRecord } from '../../cache/record.ts';
import { mayConfirm, unconditionalFields, validatingFields } from './confirmation.ts';
import type { FillingCache } from './filling-cache.ts';
import type { BodyMaker } from './passed-request-body.ts';
import { wantsUnfinished } from './stale-answers.ts';
import { WebFetch, type WebFetchOwner, type WebQuestion } from './web-fetch.ts';
import type { WebFlight } from './web-flight.ts';
import { noFields, type WebRead } from './web-read.ts';
import type { WebRecords } from './web-records.ts';
import { groupSlotsOf, wholeTarget } from './web-target.ts';

interface SenderParts {
  readonly cache: FillingCache;
  readonly records: WebRecords;
  /** Decides what becomes of the answers. */
  readonly arrivals: WebFetchOwner;
}

/** Sends questions to web origins: for clients who wait for what comes, or in the name of one. */
export class QuestionSender {
  readonly #parts: SenderParts;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Passes on a request that is neither GET nor HEAD. @throws TooManyRequestsError, S3Error EntityTooLarge */
  pass(read: WebRead, makeBody: BodyMaker): void {
    this.#start(read, { ...noQuestion, fields: read.sent }, true, makeBody);
  }

  /** Asks for this client alone, which gets what comes as it comes. */
  askUnkept(read: WebRead): void {
    this.#start(read, { ...noQuestion, fields: read.sent, isUnkept: true }, true);
  }

  /**
   * Asks for what is read.
   *
   * @param stale what it may confirm
   * @param flight gets what comes; it has landed when this throws
   * @param isAwaited whether the client waits for the answer
   * @throws TooManyRequestsError
   */
  send(
    read: WebRead,
    stale: ReadableRecord | undefined,
    flight: WebFlight | undefined,
    isAwaited = true,
  ): WebFetch {
    const isOwn = isAwaited || flight?.isOfRange;
    const isConfirmable = stale && mayConfirm(stale, isOwn ? read.fields : noFields);
    const confirmed = isConfirmable && this.#mayAnswer(stale, read) ? stale : undefined;
    const own = isOwn ? read.sent : unconditionalFields(read.sent);
    const fields = confirmed ? validatingFields(own, confirmed) : own;
    try {
      return this.#start(read, { stale, confirmed, flight, fields }, isAwaited);
    } catch (error) {
      flight?.land({ kind: 'alone', because: 'lost' });
      throw error;
    }
  }

  /** Whether `stale` answers `read` once it is confirmed: what cannot be had of it is asked for with all the rest. */
  #mayAnswer(stale: ReadableRecord, read: WebRead): boolean {
    const { cache, records } = this.#parts;
    return read.method === 'GET' && !wantsUnfinished(stale, read, records.unfinished, cache.nowMs());
  }

  #start(
    read: WebRead,
    parts: Pick<WebQuestion, 'stale' | 'confirmed' | 'flight' | 'fields'> & { readonly isUnkept?: boolean },
    isAwaited: boolean,
    makeBody?: BodyMaker,
  ): WebFetch {
    const { arrivals, cache, records } = this.#parts;
    let fetch: WebFetch | undefined;
    const client = isAwaited ? read.client.wait(() => fetch?.left()) : undefined;
    const body = makeBody?.(error => fetch?.refuse(error));
    const target = makeBody ? wholeTarget(read.address) : read.target.target;
    const { isUnkept = read.policy.mode === 'bypass' || (read.directives?.noStore ?? false) } = parts;
    const groupSlots = groupSlotsOf(read.address, read.request.scheme);
    const asked = { ...records.askedNow(read), groupSlots, requestedMs: cache.nowMs() };
    const question: WebQuestion = {
      ...{ ...parts, read, method: read.method, target, asked, client, body, isUnkept },
      forwarded: records.whyForwarded(read, parts.stale, asked.requestedMs),
    };
    fetch = new WebFetch(question, arrivals, () => cache.nowMs());
    fetch.send();
    return fetch;
  }
}

const noQuestion = { stale: undefined, confirmed: undefined, flight: undefined };
