/** A connection that is served while others wait, as of the last periodic check. */
export interface CloseCandidate {
  readonly client: string;
  /** It has been answered, and no bytes have moved since the previous check. */
  readonly isIdle: boolean;
  /**
   * The number of checks in a row at which no request was being answered and nothing had been sent: the client is
   * silent, or sends a request very slowly.
   */
  readonly unusedChecks: number;
  /** The number of checks in a row at which its answer had not begun and nothing moved: it waits for a store. */
  readonly waitingChecks: number;
}

/**
 * The number of checks after which a connection may be closed. Closing one between two requests does the least harm.
 */
const IDLE_CHECKS = 1;
/** Long enough for a request that is in transit. */
const SILENT_CHECKS = 5;
const IDLE_OF_POORER_CHECKS = 10;
const SILENT_OF_POORER_CHECKS = 50;
/** A request that waits for a store this long loses its place, but only to a client that has fewer connections. */
const WAITING_CHECKS = 10;

/**
 * A connection that may be closed, or a client that waits for its place, with the number of connections that the client
 * has at that point.
 */
interface Ranked<T> {
  readonly of: T;
  readonly client: string;
  readonly held: number;
}

/**
 * Which connections to close so that waiting ones can be served: at most one for each, starting with the client that
 * has the most. After its unused connections, that client also loses requests that have waited for a store for a second,
 * to clients that have fewer; to them it loses unused connections sooner as well. To clients that have as many, and to
 * its own waiting connections (behind a load balancer all have the same address), it loses at once only connections
 * that are idle between requests.
 *
 * @param waiting the client of each waiting connection.
 */
export function connectionsToClose<T extends CloseCandidate>(
  served: Iterable<T>,
  waiting: Iterable<string>,
): T[] {
  const unused: T[] = [];
  const openByClient = new Map<string, number>();
  for (const place of served) {
    openByClient.set(place.client, openOf(openByClient, place.client) + 1);
    if (place.unusedChecks > 0 || place.waitingChecks >= WAITING_CHECKS) unused.push(place);
  }
  const places = rankPlaces(unused, openByClient);
  const freed: T[] = [];
  let next = 0;
  for (const claim of rankClaims(waiting, openByClient)) {
    // a place that this claim cannot take cannot go to later claims either: their clients have more
    while (next < places.length && !goesTo(places[next], claim)) next++;
    const place = places[next++];
    if (place) freed.push(place.of);
  }
  return freed;
}

/** Starts with the clients that have the most, and for each client with the connection unused for longest. */
function rankPlaces<T extends CloseCandidate>(
  unused: T[],
  openByClient: ReadonlyMap<string, number>,
): Ranked<T>[] {
  const left = new Map(openByClient);
  return unused
    .sort((one, other) => other.unusedChecks - one.unusedChecks || other.waitingChecks - one.waitingChecks)
    .map(place => {
      const { client } = place;
      const before = openOf(left, client);
      left.set(client, before - 1);
      return { of: place, client, held: before };
    })
    .sort((one, other) => other.held - one.held);
}

/** Starts with the clients that have the fewest. */
function rankClaims(waiting: Iterable<string>, openByClient: ReadonlyMap<string, number>): Ranked<string>[] {
  const gained = new Map(openByClient);
  const claims: Ranked<string>[] = [];
  for (const client of waiting) {
    const before = openOf(gained, client);
    gained.set(client, before + 1);
    claims.push({ of: client, client, held: before });
  }
  return claims.sort((one, other) => one.held - other.held);
}

function goesTo<T extends CloseCandidate>(ranked: Ranked<T> | undefined, claim: Ranked<string>): boolean {
  if (!ranked) return false;
  const { of: place, client } = ranked;
  // even after losing this place, its client has at least as many as the claimant
  const isRicher = ranked.held > claim.held + 1;
  if (place.unusedChecks === 0) return isRicher;
  const idleChecks = isRicher || client === claim.client ? IDLE_CHECKS : IDLE_OF_POORER_CHECKS;
  const silentChecks = isRicher ? SILENT_CHECKS : SILENT_OF_POORER_CHECKS;
  return place.unusedChecks >= (place.isIdle ? idleChecks : silentChecks);
}

function openOf(openByClient: ReadonlyMap<string, number>, client: string): number {
  return openByClient.get(client) ?? 0;
}
