import { StoreError, type StoreErrorCode } from '../../backend/store.ts';
import type { ReadableRecord } from '../../cache/record.ts';
import type { Outcome } from '../read/background-turns.ts';
import { type AloneBecause, asksOtherwise } from './one-request.ts';
import { type ArrivedHead, namesOf } from './stored-answer.ts';
import type { WebRead } from './web-read.ts';

/** What an answer that several requests wait for has turned out to be. */
export type Landing =
  | StoredLanding
  /** For the first alone. */
  | AloneLanding
  /**
   * The origin has failed: what is held may be served stale.
   *
   * @param isOfRequest whether that may be because of what the first has sent
   * @param failure its status, or the code of the error where there is none
   */
  | {
      readonly kind: 'stale';
      readonly record: ReadableRecord;
      readonly isOfRequest: boolean;
      readonly failure: number | StoreErrorCode;
    }
  /**
   * @param isBegun whether the origin has begun to answer
   * @param hasOwnHedge whether a hedge got an answer for its reader alone
   */
  | {
      readonly kind: 'failed';
      readonly error: unknown;
      readonly isBegun?: boolean;
      readonly hasOwnHedge?: boolean;
    };

/**
 * May be stored for others. It is not what is held where something came between.
 *
 * @param status what the origin has answered: 206 where a range of a whole was asked for, 304 where it has confirmed what is held
 */
export interface StoredLanding {
  readonly kind: 'stored';
  readonly record: ReadableRecord;
  readonly how: 'fetched' | 'revalidated';
  readonly status: number;
}

/**
 * @param arrived the answer, where there is one
 * @param record the same with its body, kept for nobody, where it says of the target that there is nothing
 */
export interface AloneLanding {
  readonly kind: 'alone';
  readonly because: AloneBecause;
  readonly arrived?: ArrivedHead;
  readonly record?: ReadableRecord;
}

/** An answer for others as well whose body has not come: it may take long, or there is none. */
export interface BegunAnswer extends ArrivedHead {
  /** Whose answer it is. */
  readonly by: WebRead;
  /** Whether its body comes, and will be kept: otherwise it has none. */
  readonly hasBody: boolean;
  /** All, or those who have sent the very same. */
  readonly isFor: 'all' | 'alike';
}

/** Whether `read` selects what has begun. */
export function selectsBegun(read: WebRead, { head: { vary }, by }: BegunAnswer): boolean {
  const names = namesOf(vary);
  return read.variantName(names) === by.variantName(names);
}

interface Waiter {
  /** Whether the same client waits that asked first. */
  readonly isOfFirst: boolean;
  readonly read: WebRead;
  /** @param first whose answer it is */
  readonly told: (landing: Landing, first: WebRead) => void;
  /** Takes what there is before the end; false where all is waited for. */
  readonly takesHead: (begun: BegunAnswer) => boolean;
}

/** What a question that nobody waits for has come to. */
export function outcomeOf(landing: Landing): Outcome {
  if (landing.kind === 'stale') return 'failed';
  if (landing.kind !== 'failed') return 'answered';
  return hasHung(landing) ? 'hung' : 'failed';
}

/** Whether the origin has said nothing for as long as the gateway waits. */
export function hasHung(landing: Landing): boolean {
  return landing.kind === 'failed' && landing.error instanceof StoreError && landing.error.code === 'TIMEOUT';
}

/** What is asked while a flight hangs decides on its end, see `Hedging`. */
export interface FlightHedges {
  /** How the flight ends where its first has got `landing`; undefined where it is held for another answer that has begun. */
  endOf(landing: Landing): Landing | undefined;
  /** The flight is over. */
  over(): void;
}

/** A request to an origin whose answer may be for others as well. */
export class WebFlight {
  /** Called when nobody waits any more, if it was not over by then; set once the first has left. */
  deserted: (() => void) | undefined;
  /** Set once somebody waits. */
  hedges: FlightHedges | undefined;
  /** Called once an answer begins. */
  begins: ((begun: BegunAnswer) => void) | undefined;
  /** Whether `read`, which came after an answer had begun, may share it. */
  mayShare: ((read: WebRead, begun: BegunAnswer) => boolean) | undefined;
  /** How much of its body has come. */
  cameBytes = 0;
  /** Whose request it is. */
  readonly first: WebRead;
  /** When it began, by `Clock.monotonicMs`. */
  readonly sinceMs: number;
  /** Whether it asks for the range of its first, and not for the whole answer. */
  readonly isOfRange: boolean;
  /** It may have left by the time that others come. */
  readonly #client: string;
  readonly #waiting = new Set<Waiter>();
  readonly #landed: (landing: Landing, by: WebRead) => void;
  #isOver = false;
  /** What any of its answers varies by that has begun. */
  readonly selectors = new Set<string>();
  /** Answers under way, its own and those of hedges, in the order in which they began: the oldest is waited for. */
  #coming: readonly BegunAnswer[] = [];

  constructor(
    first: WebRead,
    sinceMs: number,
    landed: (landing: Landing, by: WebRead) => void,
    isOfRange = false,
  ) {
    this.first = first;
    this.sinceMs = sinceMs;
    this.isOfRange = isOfRange;
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

  /** The answer that is waited for, its own or that of a hedge: it may take long until it lands. */
  get begun(): BegunAnswer | undefined {
    return this.#coming[0];
  }

  get isAnswered(): boolean {
    return this.#coming.length > 0;
  }

  /** An answer begins, its own or that of a hedge. */
  answered(begun: BegunAnswer): void {
    // that of a hedge may have come before it
    if (this.#isOver) return;
    this.#coming = [...this.#coming, begun];
    for (const name of namesOf(begun.head.vary)) this.selectors.add(name);
    this.tell(begun);
    if (this.begun === begun) this.#waitFor(begun);
  }

  /** What `by` was being answered with comes no more: the next is waited for. */
  brokeOff(by: WebRead): void {
    if (this.#isOver) return;
    const before = this.begun;
    this.#coming = this.#coming.filter(begun => begun.by !== by);
    const { begun } = this;
    if (!begun || begun === before) return;
    // who was there when it began was told it then; who came later has heard of the one before alone
    this.tell(begun, read => this.mayShare?.(read, begun) ?? false);
    this.#waitFor(begun);
  }

  /** Who selects another answer does not wait for the rest of this one: the head says so by Vary (RFC 9111 §4.1). */
  #waitFor(begun: BegunAnswer): void {
    this.begins?.(begun);
    const others = [...this.#waiting].filter(({ read }) => !selectsBegun(read, begun));
    for (const waiter of others) this.#waiting.delete(waiter);
    for (const waiter of others) waiter.told({ kind: 'alone', because: 'variant', arrived: begun }, begun.by);
    if ((others.length > 0 || begun.by !== this.first) && !this.isAwaited) this.deserted?.();
  }

  /** Those who need no more get this, and wait no longer. */
  tell(begun: BegunAnswer, whom: (read: WebRead) => boolean = () => true): void {
    for (const waiter of this.#waiting)
      if (whom(waiter.read) && waiter.takesHead(begun)) this.#waiting.delete(waiter);
  }

  /**
   * One of those who wait, and have sent something else than the first and those who were `asked`: of another client, nothing of its
   * own, and the one in the middle, where there is one.
   */
  other(asked: readonly WebRead[]): WebRead | undefined {
    const clients = new Set([this.#client, ...asked.map(({ client }) => client.quota)]);
    const ranked: WebRead[][] = [[], [], [], []];
    for (const { read } of this.#waiting)
      if (!read.directives?.noStore)
        ranked[2 * Number(clients.has(read.client.quota)) + Number(read.isPersonal)]?.push(read);
    return ranked
      .flatMap(middleFirst)
      .find(read => [this.first, ...asked].every(before => asksOtherwise(read, before)));
  }

  /** @returns a function that ends the wait */
  wait(read: WebRead, told: Waiter['told'], takesHead: Waiter['takesHead']): () => void {
    if (this.begun && takesHead(this.begun)) return () => {};
    const isOfFirst = read.client.quota === this.#client;
    const waiter = { isOfFirst, read, told, takesHead };
    this.#waiting.add(waiter);
    return () => {
      if (this.#waiting.delete(waiter) && !this.isAwaited) this.deserted?.();
    };
  }

  /** Ends the wait of those whose own question may be answered otherwise than what hangs: they share nothing with it. */
  dismiss(by: WebRead, whom: (read: WebRead) => boolean = () => true): void {
    for (const waiter of [...this.#waiting])
      if (whom(waiter.read) && asksOtherwise(waiter.read, this.first)) {
        this.#waiting.delete(waiter);
        waiter.told({ kind: 'alone', because: 'silent' }, by);
      }
    if (!this.isAwaited) this.deserted?.();
  }

  /**
   * Without effect once it has landed. Who is told first asks again: of other clients the one in the middle, and then who has waited
   * longest; of the first's own, who may wait many times, who came last.
   *
   * @param by whose answer it is
   */
  land(landing: Landing, by: WebRead = this.first): void {
    if (this.#isOver) return;
    const end = by === this.first && this.hedges ? this.hedges.endOf(landing) : landing;
    if (!end) {
      this.brokeOff(this.first);
      return;
    }
    this.#isOver = true;
    const { deserted } = this;
    this.deserted = undefined;
    this.hedges?.over();
    this.#landed(end, by);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    const others = waiting.filter(({ isOfFirst }) => !isOfFirst);
    others.sort((one, other) => (one.read.waitsSinceMs ?? 0) - (other.read.waitsSinceMs ?? 0));
    const own = waiting.filter(({ isOfFirst }) => isOfFirst).reverse();
    if (by !== this.first) deserted?.();
    for (const waiter of [...middleFirst(others), ...own]) waiter.told(end, by);
  }
}

/** Strangers may be there before all others, or come again and again: they are in the middle only where they are most. */
function middleFirst<T>(all: readonly T[]): T[] {
  const middle = Math.floor(all.length / 2);
  return [...all.slice(middle, middle + 1), ...all.slice(0, middle), ...all.slice(middle + 1)];
}
