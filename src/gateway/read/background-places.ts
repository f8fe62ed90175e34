import type { Clock } from '../../base/clock.ts';

/**
 * Questions of one kind at a time, to each store, that nobody waits for, or not any more. They count for no client, so they must
 * leave the connections to those who wait; the next reader of what was left out begins it.
 */
const BACKGROUND_LIMIT = 16;

/** A question that has not been answered for so long takes no place of others any more: the store may hang for what it is about. */
const PATIENCE_MS = 1_000;

/** So many go on beside the places, until the store has answered or its time is over. */
const OVERDUE_LIMIT = 32;

interface Place {
  readonly client: string;
  readonly sinceMs: number;
  readonly giveWay: () => void;
}

/** The places of such questions in one worker, fair between the clients whose reads have begun them. */
export class BackgroundPlaces {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** By store, the oldest first. */
  readonly #taken = new Map<string, Set<Place>>();
  readonly #overdue = new Map<string, Set<Place>>();
  readonly #overdueLimit: number;

  /** @param overdueLimit how many overdue questions may go on beside the places */
  constructor(clock: Pick<Clock, 'monotonicMs'>, overdueLimit = OVERDUE_LIMIT) {
    this.#clock = clock;
    this.#overdueLimit = overdueLimit;
  }

  /**
   * Takes a place at the store of this name.
   *
   * @param client whose read begins the question
   * @param giveWay called when another client gets the place
   * @returns gives it back; undefined where there is none
   */
  take(store: string, client: string, giveWay: () => void): (() => void) | undefined {
    const places = setOf(this.#taken, store);
    const overdue = setOf(this.#overdue, store);
    const place = { client, sinceMs: this.#clock.monotonicMs(), giveWay };
    if (places.size >= BACKGROUND_LIMIT && !this.#makeRoom(places, overdue, client)) return undefined;
    places.add(place);
    return () => {
      places.delete(place);
      overdue.delete(place);
    };
  }

  #makeRoom(places: Set<Place>, overdue: Set<Place>, client: string): boolean {
    const [oldest] = places;
    const isOverdue = oldest && this.#clock.monotonicMs() - oldest.sinceMs >= PATIENCE_MS;
    if (isOverdue && overdue.size < this.#overdueLimit) {
      places.delete(oldest);
      overdue.add(oldest);
      return true;
    }
    const other = this.#ofGreedy(places, client);
    if (!other) return false;
    places.delete(other);
    other.giveWay();
    return true;
  }

  /** The oldest of the client that has most, if that is two more than `client` has. */
  #ofGreedy(places: ReadonlySet<Place>, client: string): Place | undefined {
    const counts = new Map<string, number>();
    for (const place of places) counts.set(place.client, (counts.get(place.client) ?? 0) + 1);
    const most = Math.max(...counts.values());
    if (most < (counts.get(client) ?? 0) + 2) return undefined;
    for (const place of places) if (counts.get(place.client) === most) return place;
    return undefined;
  }
}

function setOf(sets: Map<string, Set<Place>>, store: string): Set<Place> {
  const set = sets.get(store) ?? new Set();
  sets.set(store, set);
  return set;
}
