import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { lengthPrefixed } from '../../base/length-prefixed.ts';
import type { Asking } from '../../cache/record.ts';
import { containsRange, parseRange, type RangeRequest } from '../../http/range.ts';
import { askedRange, isPart } from './asked-range.ts';
import { type ArrivedHead, namesOf } from './stored-answer.ts';
import { type BegunAnswer, hasHung, type Landing, WebFlight } from './web-flight.ts';
import type { WebRead } from './web-read.ts';

/** What a request asks for: the whole answer, a range of it, what is told of it (HEAD), or whether a client still has it. */
export type FlightKind = 'whole' | 'range' | 'head' | 'condition';

interface KnownFlight {
  readonly flight: WebFlight;
  readonly asked: Asking;
  readonly range: RangeRequest;
}

/** Undefined where nobody else waits. */
type BegunFlights = Map<WebFlight, readonly string[] | undefined>;

/** Targets of which something is known that no record tells. */
const REMEMBERED_LIMIT = 1_000;

/** What is held of the target of a read. */
interface KnownAnswers {
  /** Whether what was asked then may be joined now. @param arrived what has come of it so far */
  isStillAsked(read: WebRead, asked: Asking, arrived: ArrivedHead | undefined): boolean;
  /** See `mayShareBegun`. */
  mayShareBegun(read: WebRead, begun: BegunAnswer): boolean;
  /** The name of the variant that it selects, by what the last answer varied by; '' where nothing is known. */
  variantOf(read: WebRead): string;
}

/** How long it is remembered whom parts of a target are for. */
const PARTS_MS = 60_000;

/** Parts that are not combined: each is for its reader alone, or for all who ask for the very same range. */
interface KnownParts {
  readonly areFor: 'one' | 'same';
  readonly untilMs: number;
}

/** How long a client that was late leads for nobody else, unless the origin answers it within the second time: it may be well again. */
const LATE_MS = 60_000;
const IN_TIME_MS = 1_000;

/**
 * Who waits has patience for twice as long as the last answer of that name took, within these bounds: a client could have one made
 * late. Before the first answer it is `UNKNOWN_MS`.
 */
const LEAST_MS = 1_000;
const MOST_MS = 5_000;
const UNKNOWN_MS = 2_000;

/** The requests of a worker that others may wait for. */
export class WebFlights {
  readonly #known: KnownAnswers;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** The latest of each target, variant and kind. */
  readonly #flights = new Map<string, KnownFlight>();
  /**
   * By target, the questions that are being answered, and what the answers vary by that are waited for, the latest last: until they land,
   * no record tells that.
   */
  readonly #begun = new Map<string, BegunFlights>();

  /** Targets of which readers have waited for a range that was no answer to all of them: they do not wait so again for a while. */
  readonly #parts = new LRUCache<string, KnownParts>({ max: REMEMBERED_LIMIT });

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
   * all that is read: for more the origin would be asked without the fields that may have let this client in. Whoever comes after its
   * answer has begun joins it where that is of its variant, unless it would be told at once what the origin may not say any more.
   */
  of(read: WebRead, kind: FlightKind): WebFlight | undefined {
    const variant = this.#variantOf(read);
    const range = this.#sameRange(read, kind);
    const known =
      this.#flights.get(nameOf(read, kind, variant, range)) ??
      this.#flights.get(ownNameOf(read, kind, variant, range));
    if (!known || !this.#known.isStillAsked(read, known.asked, known.flight.begun)) return undefined;
    const { begun } = known.flight;
    if (begun && !this.#known.mayShareBegun(read, begun)) return undefined;
    const isEnough = kind !== 'range' || containsRange(known.range, parseRange(read.fields.range));
    return isEnough ? known.flight : undefined;
  }

  /** Whether all of what `read` selects has begun to come, whether or not it may join that. */
  hasBegun(read: WebRead): boolean {
    const variant = this.#variantOf(read);
    const names = [nameOf(read, 'whole', variant), ownNameOf(read, 'whole', variant)];
    return names.some(name => this.#flights.get(name)?.flight.isAnswered);
  }

  /** All that any of the answers vary by that have begun; undefined where none has. */
  variesBy({ target }: WebRead): readonly string[] | undefined {
    const begun = this.#begun.get(target.key.text);
    return begun && [...new Set([...begun.keys()].flatMap(({ selectors }) => [...selectors]))];
  }

  /** The variant that `read` selects, as far as is known by now. */
  #variantOf(read: WebRead): string {
    const begun = this.#begun.get(read.target.key.text)?.values() ?? [];
    const latest = [...begun].findLast(names => names !== undefined);
    return latest ? read.variantName(latest) : this.#known.variantOf(read);
  }

  /** Whether a range of what `read` asks for may be for others as well. */
  mayShareRange(read: WebRead): boolean {
    return this.#partsOf(read)?.areFor !== 'one';
  }

  #partsOf({ target }: WebRead): KnownParts | undefined {
    const parts = this.#parts.get(target.key.text);
    return parts && parts.untilMs > this.#clock.monotonicMs() ? parts : undefined;
  }

  /** The range that others have to ask for as well, to wait for that of `read`; undefined where it may be less. */
  #sameRange(read: WebRead, kind: FlightKind): string | undefined {
    return kind === 'range' && this.#partsOf(read)?.areFor === 'same' ? askedRange(read) : undefined;
  }

  /** @param landed called when it is over */
  begin(read: WebRead, kind: FlightKind, asked: Asking, landed?: (landing: Landing) => void): WebFlight {
    const isLate = (this.#lateUntilMs.get(ownNameOf(read, 'whole')) ?? 0) > this.#clock.monotonicMs();
    const range = this.#sameRange(read, kind);
    const nameOfVariant = (variant: string) => (isLate ? ownNameOf : nameOf)(read, kind, variant, range);
    let name = nameOfVariant(this.#variantOf(read));
    const { text } = read.target.key;
    const land = (landing: Landing, by: WebRead) => {
      landed?.(landing);
      if (landing.kind === 'stored' && by === read && kind === 'whole' && !isLate)
        this.learnTook(read, flight.sinceMs);
      if (isLate && this.#clock.monotonicMs() - flight.sinceMs < IN_TIME_MS)
        this.#lateUntilMs.delete(ownNameOf(read, 'whole'));
      if (hasHung(landing)) this.learnLate(by);
      if (flight.isOfRange && flight.isAwaited) this.#learnRange(read, landing);
      if (this.#flights.get(name)?.flight === flight) this.#flights.delete(name);
      this.#forgetBegun(text, flight);
    };
    const flight = new WebFlight(read, this.#clock.monotonicMs(), land, kind === 'range');
    const known = { flight, asked, range: parseRange(read.fields.range) };
    flight.mayShare = (reader, begun) => this.#known.mayShareBegun(reader, begun);
    flight.begins = ({ head: { vary }, by }) => {
      const names = namesOf(vary);
      this.#remember(text, flight, names);
      if (this.#flights.get(name)?.flight !== flight) return;
      this.#flights.delete(name);
      name = nameOfVariant(by.variantName(names));
      this.#flights.set(name, known);
    };
    this.#flights.set(name, known);
    return flight;
  }

  /** A question that nobody else waits for. @param landed called when it is over */
  beginAlone(read: WebRead, landed: (landing: Landing) => void): WebFlight {
    const { text } = read.target.key;
    const flight = new WebFlight(read, this.#clock.monotonicMs(), landing => {
      this.#forgetBegun(text, flight);
      landed(landing);
    });
    flight.begins = () => this.#remember(text, flight, undefined);
    return flight;
  }

  #remember(target: string, flight: WebFlight, names: readonly string[] | undefined): void {
    const others = this.#forgetBegun(target, flight);
    this.#begun.set(target, others.set(flight, names));
  }

  /** @returns the others */
  #forgetBegun(target: string, flight: WebFlight): BegunFlights {
    const begun: BegunFlights = this.#begun.get(target) ?? new Map();
    begun.delete(flight);
    if (begun.size === 0) this.#begun.delete(target);
    return begun;
  }

  /** Redirects and errors say nothing of ranges. */
  #learnRange(read: WebRead, landing: Landing): void {
    const { text } = read.target.key;
    const untilMs = this.#clock.monotonicMs() + PARTS_MS;
    if (landing.kind === 'stored') {
      if (isPart(landing.record)) this.#parts.set(text, { areFor: 'same', untilMs });
      else this.#parts.delete(text);
    }
    if (landing.kind !== 'alone' || landing.because !== 'answer') return;
    const status = landing.arrived?.head.status ?? 200;
    if (status === 200 || status === 206) this.#parts.set(text, { areFor: 'one', untilMs });
  }

  /** What `first` asks for is for its own client from now on: it was answered later than another, who began later, or not at all. */
  learnLate(first: WebRead): void {
    this.#lateUntilMs.set(ownNameOf(first, 'whole'), this.#clock.monotonicMs() + LATE_MS);
  }

  /** An answer that is for all has come: how long that took is the measure for who waits. @param sinceMs when it was asked for */
  learnTook({ target }: WebRead, sinceMs: number): void {
    this.#tookMs.set(target.key.text, this.#clock.monotonicMs() - sinceMs);
  }

  /** How long who waits for `read` goes without asking for itself. */
  patienceMs({ target }: WebRead): number {
    const tookMs = this.#tookMs.get(target.key.text);
    return tookMs === undefined ? UNKNOWN_MS : Math.min(MOST_MS, Math.max(LEAST_MS, 2 * tookMs));
  }
}

/** Of what a client asks for that is no measure for others. */
function ownNameOf(read: WebRead, kind: FlightKind, variant?: string, range?: string): string {
  return `of ${lengthPrefixed(read.client.quota)}${nameOf(read, kind, variant, range)}`;
}

/** @param range set where others have to ask for the same */
function nameOf({ target }: WebRead, kind: FlightKind, variant = '', range = ''): string {
  return `${kind} ${lengthPrefixed(variant)}${lengthPrefixed(range)}${target.key.text}`;
}
