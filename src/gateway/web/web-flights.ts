import { LRUCache } from 'lru-cache';
import { StoreError } from '../../backend/store.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { lengthPrefixed } from '../../base/length-prefixed.ts';
import type { Asked, ReadableRecord } from '../../cache/record.ts';
import { containsRange, parseRange, type RangeRequest } from '../../http/range.ts';
import type { Outcome } from '../read/background-turns.ts';
import { type AloneBecause, asksOtherwise } from './one-request.ts';
import type { WebRead } from './web-read.ts';

/** What an answer that several requests wait for has turned out to be. */
export type Landing =
  /** Stored: all whom it answers get it. */
  | { readonly kind: 'stored'; readonly record: ReadableRecord; readonly how: 'fetched' | 'revalidated' }
  /** For the first alone. */
  | { readonly kind: 'alone'; readonly because: AloneBecause }
  /**
   * The origin has failed: what is held may be served stale.
   *
   * @param isOfRequest whether that may be because of what the first has sent
   */
  | { readonly kind: 'stale'; readonly record: ReadableRecord; readonly isOfRequest: boolean }
  | { readonly kind: 'failed'; readonly error: unknown };

interface Waiter {
  /** Whether the same client waits that asked first. */
  readonly isOfFirst: boolean;
  readonly read: WebRead;
  /** @param first whose answer it is */
  readonly told: (landing: Landing, first: WebRead) => void;
}

/** What a question that nobody waits for has come to. */
export function outcomeOf(landing: Landing): Outcome {
  if (landing.kind === 'stale') return 'failed';
  if (landing.kind !== 'failed') return 'answered';
  return landing.error instanceof StoreError && landing.error.code === 'TIMEOUT' ? 'hung' : 'failed';
}

/** A request to an origin whose answer may be for others as well. */
export class WebFlight {
  /** Called when nobody waits any more, if it was not over by then; set once the first has left. */
  deserted: (() => void) | undefined;
  /** Until the answer is asked for beside, see `QuestionsBeside`; set once somebody waits. */
  patience: Timer | undefined;
  /** Whose request it is. */
  readonly first: WebRead;
  /** When it began, by `Clock.monotonicMs`. */
  readonly sinceMs: number;
  /** It may have left by the time that others come. */
  readonly #client: string;
  readonly #waiting = new Set<Waiter>();
  readonly #landed: (landing: Landing, by: WebRead) => void;
  #isOver = false;
  #isAnswered = false;

  constructor(first: WebRead, sinceMs: number, landed: (landing: Landing, by: WebRead) => void) {
    this.first = first;
    this.sinceMs = sinceMs;
    this.#client = first.client.quota;
    this.#landed = landed;
  }

  /** Whether anybody but the first waits. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it does not hang any more, though it may take long until it lands. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Its answer begins. */
  answered(): void {
    this.#isAnswered = true;
    this.patience?.cancel();
  }

  /** One of those who wait, and have sent something else than the first: of another client, and nothing of its own, where there is one. */
  other(asked: readonly WebRead[]): WebRead | undefined {
    const clients = new Set([this.#client, ...asked.map(({ client }) => client.quota)]);
    const ranked = [...this.#waiting]
      .filter(({ read }) => !read.directives?.noStore)
      .reverse()
      .map(({ read }) => ({
        read,
        rank: 2 * Number(clients.has(read.client.quota)) + Number(read.isPersonal),
      }))
      .sort((one, other) => one.rank - other.rank);
    return ranked.find(({ read }) => [this.first, ...asked].every(before => asksOtherwise(read, before)))
      ?.read;
  }

  /** @returns a function that ends the wait */
  wait(read: WebRead, told: Waiter['told']): () => void {
    const waiter = { isOfFirst: read.client.quota === this.#client, read, told };
    this.#waiting.add(waiter);
    return () => {
      if (this.#waiting.delete(waiter) && !this.isAwaited) this.deserted?.();
    };
  }

  /**
   * Without effect once it has landed. Where it may be because of what the first has sent that there is nothing for all, other
   * clients and who came last are told first, and so ask again: who has sent that may wait many times, and from the beginning.
   *
   * @param by whose answer it is
   */
  land(landing: Landing, by: WebRead = this.first): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { deserted } = this;
    this.deserted = undefined;
    this.patience?.cancel();
    this.#landed(landing, by);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    if (mayBeOfFirst(landing))
      waiting.reverse().sort((one, other) => Number(one.isOfFirst) - Number(other.isOfFirst));
    if (by !== this.first) deserted?.();
    for (const { told } of waiting) told(landing, by);
  }
}

/** Whether it may be because of what the first has sent that there is nothing for all. */
function mayBeOfFirst(landing: Landing): boolean {
  if (landing.kind === 'alone') return landing.because !== 'answer';
  return landing.kind === 'stale' && landing.isOfRequest;
}

/** What a request asks for: the whole answer, a range of it, what is told of it (HEAD), or whether a client still has it. */
export type FlightKind = 'whole' | 'range' | 'head' | 'condition';

interface KnownFlight {
  readonly flight: WebFlight;
  readonly asked: Asked;
  readonly range: RangeRequest;
}

/** Targets of which something is known that no record tells. */
const REMEMBERED_LIMIT = 1_000;

/** What is held of the target of a read. */
interface KnownAnswers {
  /** Whether what was asked then may be joined now. */
  isStillAsked(read: WebRead, asked: Asked): boolean;
  /** The name of the variant that it selects, by what the last answer varied by; '' where nothing is known. */
  variantOf(read: WebRead): string;
}

/** How long a client that was late leads for nobody else, unless the origin answers it within the second time: it may be well again. */
const LATE_MS = 60_000;
const IN_TIME_MS = 1_000;

/** The requests of a worker that others may wait for. */
export class WebFlights {
  readonly #known: KnownAnswers;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** The latest of each target, variant and kind. */
  readonly #flights = new Map<string, KnownFlight>();

  /** Targets of which readers have waited for a range that was for another alone: they do not wait again. */
  readonly #unshared = new LRUCache<string, true>({ max: REMEMBERED_LIMIT });

  /** Targets of which each reader gets an answer of its own, as several in turn have found. */
  readonly #ofEach = new LRUCache<string, true>({ max: REMEMBERED_LIMIT });

  readonly #tookMs = new LRUCache<string, number>({ max: REMEMBERED_LIMIT });

  /** Clients and targets that the origin has told them later than others: until when they lead for nobody else. */
  readonly #lateUntilMs = new LRUCache<string, number>({ max: REMEMBERED_LIMIT });

  /** Requests that waited for another's answer. */
  coalesced = 0;

  constructor(clock: Pick<Clock, 'monotonicMs'>, known: KnownAnswers) {
    this.#clock = clock;
    this.#known = known;
  }

  /**
   * The flight that `read` may join; one that a change or a purge of its target has overtaken is not joined. One of a range brings
   * all that is read: for more the origin would be asked without the fields that may have let this client in.
   */
  of(read: WebRead, kind: FlightKind): WebFlight | undefined {
    const variant = this.#known.variantOf(read);
    const known =
      this.#flights.get(nameOf(read, kind, variant)) ?? this.#flights.get(ownNameOf(read, kind, variant));
    if (!known || !this.#known.isStillAsked(read, known.asked)) return undefined;
    const isEnough = kind !== 'range' || containsRange(known.range, parseRange(read.fields.range));
    return isEnough ? known.flight : undefined;
  }

  /** Whether a range of what `read` asks for may be for others as well. */
  mayShareRange(read: WebRead): boolean {
    return !this.#unshared.has(nameOf(read, 'range'));
  }

  /** @param landed called when it is over */
  begin(read: WebRead, kind: FlightKind, asked: Asked, landed?: (landing: Landing) => void): WebFlight {
    const isLate = (this.#lateUntilMs.get(ownNameOf(read, 'whole')) ?? 0) > this.#clock.monotonicMs();
    const name = (isLate ? ownNameOf : nameOf)(read, kind, this.#known.variantOf(read));
    const flight = new WebFlight(read, this.#clock.monotonicMs(), (landing, by) => {
      landed?.(landing);
      if (landing.kind === 'stored' && by === read && kind === 'whole' && !isLate) this.#learnTook(flight);
      if (isLate && this.#clock.monotonicMs() - flight.sinceMs < IN_TIME_MS)
        this.#lateUntilMs.delete(ownNameOf(read, 'whole'));
      if (landing.kind === 'stored') this.#ofEach.delete(read.target.key.text);
      if (kind === 'range' && flight.isAwaited && landing.kind === 'alone' && landing.because === 'answer')
        this.#unshared.set(nameOf(read, 'range'), true);
      if (this.#flights.get(name)?.flight === flight) this.#flights.delete(name);
    });
    this.#flights.set(name, { flight, asked, range: parseRange(read.fields.range) });
    return flight;
  }

  /** Who asks for the same in turn has got one answer for itself after another. */
  learnOfEach({ target }: WebRead): void {
    this.#ofEach.set(target.key.text, true);
  }

  /** `by`, which began later, was answered before `flight`: what the first of that asks for is for its own client from now on. */
  learnLate({ first }: WebFlight, by: WebFlight): void {
    this.#lateUntilMs.set(ownNameOf(first, 'whole'), this.#clock.monotonicMs() + LATE_MS);
    this.#learnTook(by);
  }

  #learnTook({ first, sinceMs }: WebFlight): void {
    this.#tookMs.set(first.target.key.text, this.#clock.monotonicMs() - sinceMs);
  }

  /** How long the last answer took that is for all, whoever had asked for it. */
  tookMs({ target }: WebRead): number | undefined {
    return this.#tookMs.get(target.key.text);
  }

  /** Whether each reader is known to get an answer of its own. */
  isOfEach({ target }: WebRead): boolean {
    return this.#ofEach.has(target.key.text);
  }
}

/** Of what a client asks for that is no measure for others. */
function ownNameOf(read: WebRead, kind: FlightKind, variant?: string): string {
  return `of ${lengthPrefixed(read.client.quota)}${nameOf(read, kind, variant)}`;
}

function nameOf({ target }: WebRead, kind: FlightKind, variant = ''): string {
  return `${kind} ${lengthPrefixed(variant)}${target.key.text}`;
}
