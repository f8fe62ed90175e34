import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Loan } from '../../cache/content.ts';
import { queuedBytes } from '../../transport/write-queue.ts';
import { SendTurns } from './send-turns.ts';

/** The client took nothing for long while others waited for the memory that its answer held. */
export class StalledClientError extends Error {
  readonly code = 'STALLED_CLIENT';

  constructor() {
    super('the client took nothing for too long, and others waited for the memory that its answer held');
  }
}

/** An answer on its way to a client. */
export interface PendingSend {
  /** What the connection has been given and has not taken all of; undefined when there is no such thing. */
  readonly loan: Loan | undefined;
  readonly socket: Socket | null;
  /** Ends the answer, and its connection with it. */
  cutOff(error: Error): void;
}

/** What tells whether slots are needed. */
export interface SlotDemand {
  /** How often this worker holds `slot`. */
  holds(slot: number): number;
  /** Whether a fill that a reader waits for needs a slot of the worker that owns `slot`. Each need is claimed once. */
  claimNeed(slot: number): boolean;
}

/** What was queued of a loan at some moment. */
interface Sighting {
  readonly loan: Loan;
  readonly queuedBytes: number;
  readonly sinceMs: number;
}

const LOOK_INTERVAL_MS = 500;

/**
 * A client that takes less than this in that time has stalled. The system takes more from a connection only when a third of
 * its buffer is free again, which is more than a MiB at once on fast networks: a shorter time would cut clients that read.
 */
const PROGRESS_BYTES = 16 * 1024;
const STALL_LIMIT_MS = 5_000;

/**
 * The answers of one worker that wait for their clients. While fills wait for a slot, the answers that have stalled for the
 * longest are cut, as many as give back the slots that are needed; without need nobody is cut. Those that hold copies hold no slot.
 */
export class PendingSends {
  /** Of those that send in pieces. */
  readonly turns = new SendTurns();
  readonly #clock: Clock;
  readonly #demand: SlotDemand;
  readonly #sends = new Map<PendingSend, Sighting | undefined>();
  #nextLook: Timer | undefined;

  constructor(clock: Clock, demand: SlotDemand) {
    this.#clock = clock;
    this.#demand = demand;
  }

  /** How many there are. */
  get size(): number {
    return this.#sends.size;
  }

  /** The connection has not taken what `send` gave it at once. To be called again, or not, for what it gives it later. */
  watch(send: PendingSend): void {
    if (!this.#sends.has(send)) this.#sends.set(send, undefined);
    this.#nextLook ??= this.#clock.after(LOOK_INTERVAL_MS, () => this.#look());
  }

  /** `send` is over. */
  forget(send: PendingSend): void {
    this.#sends.delete(send);
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs();
    const stalled: [PendingSend, Sighting][] = [];
    for (const [send, last] of this.#sends) {
      const sighting = sight(send, last, nowMs);
      this.#sends.set(send, sighting);
      if (sighting && nowMs - sighting.sinceMs >= STALL_LIMIT_MS) stalled.push([send, sighting]);
    }
    this.#nextLook =
      this.#sends.size > 0 ? this.#clock.after(LOOK_INTERVAL_MS, () => this.#look()) : undefined;
    this.#cut(stalled.sort(([, one], [, other]) => one.sinceMs - other.sinceMs));
  }

  /** A slot is free only when nobody holds it any more: all who do are cut, or none. */
  #cut(oldestFirst: readonly [PendingSend, Sighting][]): void {
    const bySlot = Map.groupBy(oldestFirst, ([, { loan }]) => loan.slot);
    for (const [slot, sends] of bySlot) {
      if (slot === undefined || this.#demand.holds(slot) > sends.length) continue;
      if (this.#demand.claimNeed(slot)) for (const [send] of sends) send.cutOff(new StalledClientError());
    }
  }
}

/** `last` while little has been taken since, or what is to be seen now. */
function sight({ loan, socket }: PendingSend, last: Sighting | undefined, nowMs: number) {
  const queued = socket ? queuedBytes(socket) : undefined;
  if (loan?.slot === undefined || queued === undefined) return undefined;
  if (last?.loan === loan && queued > last.queuedBytes - PROGRESS_BYTES) return last;
  return { loan, queuedBytes: queued, sinceMs: nowMs };
}
