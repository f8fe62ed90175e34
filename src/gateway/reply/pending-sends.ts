import type { Clock, Timer } from '../../base/clock.ts';
import type { Loan } from '../../cache/content.ts';
import { SendTurns } from '../../transport/send-turns.ts';
import { queuedBytes } from '../../transport/write-queue.ts';

/** The client stalled for too long while fills waited for the memory that its response held. */
export class StalledClientError extends Error {
  readonly code = 'STALLED_CLIENT';

  constructor() {
    super('the client stalled while others waited for the cache memory held by its response');
  }
}

/** A response that is being sent. */
export interface PendingSend {
  /** Cache memory that the connection has not completely accepted; undefined if there is none. */
  readonly loan: Loan | undefined;
  /** What `queuedBytes` is asked about. */
  readonly socket: object | null;
  /** Heap memory that it holds until it ends, if that counts towards `OWN_LIMIT_BYTES`. */
  readonly ownBytes?: number;
  /** Called each time the connection has accepted some more bytes. */
  tookSome?(): void;
  /** Aborts the response and closes its connection. */
  cutOff(error: Error): void;
}

/** Tells whether slots are needed. */
interface SlotDemand {
  /** How many pins this worker has on `slot`. */
  holds(slot: number): number;
  /** Whether the worker that owns `slot` needs a slot for an urgent fill. Each need is claimed once. */
  claimNeed(slot: number): boolean;
}

/** How much was queued for a connection when its client last made progress, and for how long it has made none. */
interface ProgressMark {
  readonly loan: Loan | undefined;
  readonly queuedBytes: number;
  readonly stalledMs: number;
}

const LOOK_INTERVAL_MS = 500;

/**
 * A client has stalled if it accepts less than this within this time. The operating system accepts more only when a
 * third of the socket buffer is free, which may be over a MiB at once on fast networks; a shorter time would abort
 * clients that do read.
 */
const PROGRESS_BYTES = 16 * 1024;
const STALL_LIMIT_MS = 5_000;

/** When responses of a worker hold more heap memory than this, those that have stalled are aborted. */
const OWN_LIMIT_BYTES = 32 * 1024 * 1024;

/**
 * The responses of one worker that wait for their clients. While fills wait for a slot, the responses that have stalled
 * for longest are aborted, as many as free the slots that are needed; otherwise none are. Responses that hold copies
 * occupy no slot.
 */
export class PendingSends {
  /** The turns of responses sent in several pieces. */
  readonly turns = new SendTurns();
  readonly #clock: Clock;
  readonly #demand: SlotDemand;
  readonly #sends = new Map<PendingSend, ProgressMark | undefined>();
  #nextLook: Timer | undefined;
  #ownBytes = 0;

  constructor(clock: Clock, demand: SlotDemand) {
    this.#clock = clock;
    this.#demand = demand;
  }

  get size(): number {
    return this.#sends.size;
  }

  /** Registers `send` after the connection did not accept its bytes at once. Calling it again has no effect. */
  watch(send: PendingSend): void {
    if (!this.#sends.has(send)) {
      this.#sends.set(send, undefined);
      this.#ownBytes += send.ownBytes ?? 0;
    }
    this.#nextLook ??= this.#clock.after(LOOK_INTERVAL_MS, () => this.#look());
  }

  /** Removes `send`, which has ended. */
  forget(send: PendingSend): void {
    if (this.#sends.delete(send)) this.#ownBytes -= send.ownBytes ?? 0;
  }

  #look(): void {
    const stalled: [PendingSend, ProgressMark][] = [];
    for (const [send, last] of this.#sends) {
      const mark = progressOf(send, last);
      this.#sends.set(send, mark);
      if (last && mark?.stalledMs === 0) send.tookSome?.();
      if (mark && mark.stalledMs >= STALL_LIMIT_MS) stalled.push([send, mark]);
    }
    this.#nextLook =
      this.#sends.size > 0 ? this.#clock.after(LOOK_INTERVAL_MS, () => this.#look()) : undefined;
    const oldestFirst = stalled.sort(([, one], [, other]) => other.stalledMs - one.stalledMs);
    this.#cut(oldestFirst);
    this.#cutOwners(oldestFirst);
  }

  /** Aborts responses that hold heap memory until the others hold no more than the limit. */
  #cutOwners(oldestFirst: readonly [PendingSend, ProgressMark][]): void {
    for (const [send] of oldestFirst) {
      if (this.#ownBytes <= OWN_LIMIT_BYTES) return;
      if (!send.ownBytes) continue;
      this.forget(send);
      send.cutOff(new StalledClientError());
    }
  }

  /** A slot becomes free only when all of its pins are released, so either all of its responses are aborted or none. */
  #cut(oldestFirst: readonly [PendingSend, ProgressMark][]): void {
    const bySlot = Map.groupBy(oldestFirst, ([, { loan }]) => loan?.slot);
    for (const [slot, sends] of bySlot) {
      if (slot === undefined || this.#demand.holds(slot) > sends.length) continue;
      if (this.#demand.claimNeed(slot)) for (const [send] of sends) send.cutOff(new StalledClientError());
    }
  }
}

/**
 * Checks are counted rather than time: while the event loop is blocked no progress is seen, and the first check after it
 * runs before the socket reports what the client took meanwhile. A response with nothing queued waits
 * for its content or its turn, not for its client.
 */
function progressOf({ loan, socket }: PendingSend, last: ProgressMark | undefined): ProgressMark | undefined {
  const queued = socket ? queuedBytes(socket) : undefined;
  if (queued === undefined) return undefined;
  const hasStalled =
    last?.loan === loan &&
    last &&
    last.queuedBytes > 0 &&
    queued > Math.max(0, last.queuedBytes - PROGRESS_BYTES);
  if (hasStalled) return { ...last, stalledMs: last.stalledMs + LOOK_INTERVAL_MS };
  return { loan, queuedBytes: queued, stalledMs: 0 };
}
