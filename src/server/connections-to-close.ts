/** A connection that is served while others wait. It is looked at now and then. */
export interface CloseCandidate {
  readonly client: string;
  /** It has been answered, and nothing has moved since the look before. */
  readonly isIdle: boolean;
  /** For so many looks in a row it has neither waited for an answer nor been sent anything: it is silent, or drips a request. */
  readonly looksUnanswered: number;
}

/** After how many looks a connection has to go; a connection between two requests loses least by it. */
const IDLE_LOOKS = 1;
/** Long enough for a request that is on its way. */
const SILENT_LOOKS = 5;
const IDLE_OF_POORER_LOOKS = 10;
const SILENT_OF_POORER_LOOKS = 50;

/** A place that somebody may claim, or the claim of one that waits, with the places that its client has at that point. */
interface Ranked<T> {
  readonly of: T;
  readonly client: string;
  readonly held: number;
}

/**
 * Which connections are to be closed for those that wait: one for each at most, and first those of the client that has most.
 * A client gives up what it does not use sooner to clients that have less; among those that have as much, and within a
 * client (behind a load balancer all are one), only what is idle between requests goes at once.
 *
 * @param waiting the client of each connection that waits.
 */
export function connectionsToClose<T extends CloseCandidate>(
  served: Iterable<T>,
  waiting: Iterable<string>,
): T[] {
  const unused: T[] = [];
  const held = new Map<string, number>();
  for (const place of served) {
    held.set(place.client, heldBy(held, place.client) + 1);
    if (place.looksUnanswered > 0) unused.push(place);
  }
  const places = rankPlaces(unused, held);
  const freed: T[] = [];
  let next = 0;
  for (const claim of rankClaims(waiting, held)) {
    // a place that does not go to this claim does not go to those behind it, whose clients have more
    while (next < places.length && !goesTo(places[next], claim)) next++;
    const place = places[next++];
    if (place) freed.push(place.of);
  }
  return freed;
}

/** The clients that have most first, and of each client what has been unused for longest. */
function rankPlaces<T extends CloseCandidate>(unused: T[], held: ReadonlyMap<string, number>): Ranked<T>[] {
  const left = new Map(held);
  return unused
    .sort((one, other) => other.looksUnanswered - one.looksUnanswered)
    .map(place => {
      const { client } = place;
      const before = heldBy(left, client);
      left.set(client, before - 1);
      return { of: place, client, held: before };
    })
    .sort((one, other) => other.held - one.held);
}

/** The clients that have least first. */
function rankClaims(waiting: Iterable<string>, held: ReadonlyMap<string, number>): Ranked<string>[] {
  const gained = new Map(held);
  const claims: Ranked<string>[] = [];
  for (const client of waiting) {
    const before = heldBy(gained, client);
    gained.set(client, before + 1);
    claims.push({ of: client, client, held: before });
  }
  return claims.sort((one, other) => one.held - other.held);
}

function goesTo<T extends CloseCandidate>(ranked: Ranked<T> | undefined, claim: Ranked<string>): boolean {
  if (!ranked) return false;
  const { of: place, client } = ranked;
  // it has at least as much afterwards as the one that gets the place
  const isRicher = ranked.held > claim.held + 1;
  const idleLooks = isRicher || client === claim.client ? IDLE_LOOKS : IDLE_OF_POORER_LOOKS;
  const silentLooks = isRicher ? SILENT_LOOKS : SILENT_OF_POORER_LOOKS;
  return place.looksUnanswered >= (place.isIdle ? idleLooks : silentLooks);
}

function heldBy(held: ReadonlyMap<string, number>, client: string): number {
  return held.get(client) ?? 0;
}
