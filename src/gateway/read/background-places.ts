import type { Clock } from '../../base/clock.ts';

/**
 * Questions of one kind at a time, to each store, that nobody waits for, or not any more. They count for no client, so they must
 * leave the connections to those who wait; the next reader of what was left out begins it.
 */
const BACKGROUND_LIMIT = 16;

/** A question that has not been answered for so long gives way to others: the store may hang for what it is about. */
const PATIENCE_MS = 1_000;

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

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /**
   * Takes a place at the store of this name.
   *
   * @param client whose read begins the question
   * @param giveWay called when another one gets the place
   * @returns gives it back; undefined where there is none
   */
  take(store: string, client: string, giveWay: () => void): (() => void) | undefined {
    const places = this.#taken.get(store) ?? new Set();
    this.#taken.set(store, places);
    const place = { client, sinceMs: this.#clock.monotonicMs(), giveWay };
    if (places.size >= BACKGROUND_LIMIT) {
      const other = this.#inTheWay(places, client);
      if (!other) return undefined;
      places.delete(other);
      other.giveWay();
    }
    places.add(place);
    return () => places.delete(place);
  }

  /** The oldest, if it is overdue; otherwise the oldest of the client that has most, if that is two more than this one has. */
  #inTheWay(places: ReadonlySet<Place>, client: string): Place | undefined {
    const [oldest] = places;
    if (oldest && this.#clock.monotonicMs() - oldest.sinceMs >= PATIENCE_MS) return oldest;
    const counts = new Map<string, number>();
    for (const place of places) counts.set(place.client, (counts.get(place.client) ?? 0) + 1);
    const most = Math.max(...counts.values());
    if (most < (counts.get(client) ?? 0) + 2) return undefined;
    for (const place of places) if (counts.get(place.client) === most) return place;
    return undefined;
  }
}
