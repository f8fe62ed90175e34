/**
 * Questions at a time, to each store, that go on though all who waited for them have left. They count for no client, so they must
 * leave the connections to those who wait.
 */
const DESERTED_LIMIT = 16;

interface Place {
  readonly client: string;
  readonly giveWay: () => void;
}

/** The places of such questions in one worker, fair between the clients that have left them. */
export class DesertedPlaces {
  /** By store, the oldest first. */
  readonly #taken = new Map<string, Set<Place>>();

  /**
   * Takes a place at the store of this name.
   *
   * @param client that has left
   * @param giveWay called when another client gets the place
   * @returns gives it back; undefined where there is none
   */
  take(store: string, client: string, giveWay: () => void): (() => void) | undefined {
    const places = this.#taken.get(store) ?? new Set();
    this.#taken.set(store, places);
    if (places.size >= DESERTED_LIMIT) {
      const other = ofGreedy(places, client);
      if (!other) return undefined;
      places.delete(other);
      other.giveWay();
    }
    const place = { client, giveWay };
    places.add(place);
    return () => places.delete(place);
  }
}

/** The oldest of the client that has most, if that is two more than `client` has. */
function ofGreedy(places: ReadonlySet<Place>, client: string): Place | undefined {
  const counts = new Map<string, number>();
  for (const place of places) counts.set(place.client, (counts.get(place.client) ?? 0) + 1);
  const most = Math.max(...counts.values());
  if (most < (counts.get(client) ?? 0) + 2) return undefined;
  for (const place of places) if (counts.get(place.client) === most) return place;
  return undefined;
}
