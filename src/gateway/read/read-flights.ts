import type { Store } from '../../backend/store.ts';
import type { Asked } from '../../cache/record.ts';
import { flightName, type ObjectRead } from '../request/object-read.ts';
import type { Learned, LookupResult } from './object-source.ts';
import type { RecordCache } from './record-cache.ts';
import { type Audience, SingleFlight } from './single-flight.ts';

/**
 * Questions at a time, to each store, that nobody waits for, or not any more. They count for no client, so they must leave the
 * connections to those who wait; the next reader of an object whose question was left out begins it.
 */
const BACKGROUND_LIMIT = 16;

/** Asks a store what `asked` is about; it is the read of whoever came first, without what that client asks of the cache. */
type Ask = (asked: ObjectRead, audience: Audience) => Promise<Learned>;

/** The questions to stores that are under way: all who want the same share one. */
export class ReadFlights {
  readonly #records: Pick<RecordCache, 'askedNow' | 'isStillAsked'>;
  readonly #flights = new SingleFlight<Learned>();
  /** Questions under way that nobody waited for as they began, or whose readers have all left, by the name of the store. */
  readonly #background = new Map<string, number>();
  #coalesced = 0;

  constructor(records: Pick<RecordCache, 'askedNow' | 'isStillAsked'>) {
    this.#records = records;
  }

  /** How often the answer to another's question was shared. */
  get coalesced(): number {
    return this.#coalesced;
  }

  get running(): number {
    return this.#flights.running.size;
  }

  /**
   * What the store answers to `question` about `read`.
   *
   * @param gone aborted when who waits has left; what was asked for nobody else is aborted then, unless it is one of a few
   * @throws DesertedError
   */
  async shared(read: ObjectRead, question: string, ask: Ask, gone?: AbortSignal): Promise<LookupResult> {
    gone?.throwIfAborted();
    const { answer, isJoined } = this.#join(read, question, ask, gone);
    if (isJoined) this.#coalesced++;
    return { ...(await answer), isCollapsed: isJoined };
  }

  /** Asks for whoever reads next, unless that is under way or too many such questions are. A failure is not told here. */
  begin(read: ObjectRead, question: string, ask: Ask): void {
    const { store } = read.bucket;
    if (this.#inBackground(store) >= BACKGROUND_LIMIT) return;
    const { answer, isJoined } = this.#join(read, question, ask);
    if (!isJoined) this.#runsInBackground(store, answer);
  }

  #inBackground({ name }: Store): number {
    return this.#background.get(name) ?? 0;
  }

  #runsInBackground(store: Store, answer: Promise<Learned>): void {
    this.#background.set(store.name, this.#inBackground(store) + 1);
    const end = () => this.#background.set(store.name, this.#inBackground(store) - 1);
    answer.then(end, end);
  }

  /**
   * GET and HEAD share no request: a store may refuse one of them, and only GET has an error body. Nor do buckets with
   * different size limits: what is too large for one of them is cached for another.
   */
  #join(read: ObjectRead, question: string, ask: Ask, gone?: AbortSignal) {
    const { method, policy, bucket } = read;
    const asked = this.#records.askedNow(read);
    // who asks after an unsettled time must not get what was read in it
    const when = asked.isUnsettled ? 'unsettled' : 'settled';
    const name = flightName(read, `${method} ${policy.maxObjectSizeBytes} ${when} ${question}`);
    const asking = {
      isStillAsked: (then: Asked) => this.#records.isStillAsked(read, then),
      ask: (audience: Audience) => ask({ ...read, directives: undefined }, audience),
      goesOn: (answer: Promise<Learned>) => {
        const mayGoOn = this.#inBackground(bucket.store) < BACKGROUND_LIMIT;
        if (mayGoOn) this.#runsInBackground(bucket.store, answer);
        return mayGoOn;
      },
    };
    return this.#flights.join(name, asked, asking, gone);
  }
}
