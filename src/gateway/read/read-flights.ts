import { StoreError } from '../../backend/store.ts';
import type { Clock } from '../../base/clock.ts';
import type { Asked } from '../../cache/record.ts';
import { RefusedByStoreError } from '../fill/fill-error.ts';
import { flightName, type ObjectRead } from '../request/object-read.ts';
import { BackgroundTurns, type Outcome } from './background-turns.ts';
import { DesertedPlaces } from './deserted-places.ts';
import type { Asker, Learned, LookupResult } from './object-source.ts';
import type { RecordCache } from './record-cache.ts';
import { type Audience, SingleFlight } from './single-flight.ts';

/** Asks a store what `asked` is about; it is the read of whoever came first, without what that client asks of the cache. */
type Ask = (asked: ObjectRead, audience: Audience) => Promise<Learned>;

const nobody = { client: '' };

/** The questions to stores that are under way: all who want the same share one. */
export class ReadFlights {
  readonly #records: Pick<RecordCache, 'askedNow' | 'isStillAsked'>;
  readonly #flights = new SingleFlight<Learned>();
  /** Of questions that nobody waited for as they began. */
  readonly #background: BackgroundTurns;
  /** Of those whose readers have all left: they take no place of the others. */
  readonly #deserted = new DesertedPlaces();
  #coalesced = 0;

  constructor(records: Pick<RecordCache, 'askedNow' | 'isStillAsked'>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#records = records;
    this.#background = new BackgroundTurns(clock);
  }

  /** How often the answer to another's question was shared. */
  get coalesced(): number {
    return this.#coalesced;
  }

  get running(): number {
    return this.#flights.running.size;
  }

  /**
   * What the store answers to `question` about `read`. It counts for whoever came first, until another client wants it as well.
   *
   * @param asker who waits: what was asked for nobody else is aborted when it has left, unless it is one of a few
   * @throws DesertedError
   */
  async shared(read: ObjectRead, question: string, ask: Ask, asker?: Asker): Promise<LookupResult> {
    asker?.gone.throwIfAborted();
    const { answer, isJoined } = this.#join(read, question, ask, asker, asker?.client);
    if (isJoined) this.#coalesced++;
    return { ...(await answer), isCollapsed: isJoined };
  }

  /**
   * Asks for whoever reads next, unless that is under way: now, or when it is the client's turn. A failure is not told here.
   *
   * @param isStillDue whether there is still reason to ask, when it is its turn
   */
  begin(
    read: ObjectRead,
    question: string,
    ask: Ask,
    isStillDue: () => boolean,
    { client }: Pick<Asker, 'client'> = nobody,
  ): void {
    const [name, isStillAsked] = this.#nameOf(read, question);
    if (this.#flights.want(name, isStillAsked)) return;
    const begin = (ended: (outcome: Outcome) => void) => {
      const joining = new AbortController();
      const { answer } = this.#join(read, question, ask, { gone: joining.signal, client });
      answer.then(
        () => ended('answered'),
        error => ended(outcomeOf(error)),
      );
      return () => joining.abort();
    };
    this.#background.ask(read.bucket.store.name, { client, name, begin, isStillDue });
  }

  /**
   * GET and HEAD share no request: a store may refuse one of them, and only GET has an error body. Nor do buckets with
   * different size limits: what is too large for one of them is cached for another.
   */
  #join(read: ObjectRead, question: string, ask: Ask, asker?: Asker, client?: string) {
    const { bucket } = read;
    const [name, isStillAsked, asked] = this.#nameOf(read, question);
    const asking = {
      isStillAsked,
      ask: (audience: Audience) => {
        const { shared } = audience;
        const countsFor = client === undefined ? undefined : { client, shared };
        return ask({ ...read, directives: undefined, countsFor }, audience);
      },
      goesOn: (answer: Promise<Learned>, giveUp: () => void, isWanted: boolean) => {
        const { name: store } = bucket.store;
        const wanted = isWanted ? this.#background.take(store, name, giveUp) : undefined;
        const leave = wanted ?? this.#deserted.take(store, asker?.client ?? '', giveUp);
        if (leave) answer.then(leave, leave);
        return leave !== undefined;
      },
    };
    return this.#flights.join(name, asked, asking, asker);
  }

  /** What names a question now, and whether one of that name that was asked then may be joined. */
  #nameOf(
    read: ObjectRead,
    question: string,
  ): [name: string, isStillAsked: (then: Asked) => boolean, asked: Asked] {
    const { method, policy } = read;
    const asked = this.#records.askedNow(read);
    // who asks after an unsettled time must not get what was read in it
    const when = asked.isUnsettled ? 'unsettled' : 'settled';
    const name = flightName(read, `${method} ${policy.maxObjectSizeBytes} ${when} ${question}`);
    return [name, then => this.#records.isStillAsked(read, then), asked];
  }
}

/** A refusal is an answer. */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof RefusedByStoreError) return 'answered';
  return error instanceof StoreError && error.code === 'TIMEOUT' ? 'hung' : 'failed';
}
