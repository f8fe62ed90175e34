import type { Asked, ReadableRecord } from '../../cache/record.ts';
import type { WebRead } from './web-read.ts';

/** What an answer that several requests wait for has turned out to be. */
export type Landing =
  /** Stored: all whom it answers get it. */
  | { readonly kind: 'stored'; readonly record: ReadableRecord; readonly how: 'fetched' | 'revalidated' }
  /** For the first alone: the others ask for themselves. */
  | { readonly kind: 'alone' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A request to an origin whose answer may be for others as well. */
export class WebFlight {
  readonly #waiting = new Set<(landing: Landing) => void>();
  readonly #landed: () => void;
  #isOver = false;

  constructor(landed: () => void) {
    this.#landed = landed;
  }

  /** Whether anybody but the first waits. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** @returns a function that ends the wait */
  wait(told: (landing: Landing) => void): () => void {
    this.#waiting.add(told);
    return () => this.#waiting.delete(told);
  }

  /** Without effect once it has landed. */
  land(landing: Landing): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#landed();
    for (const told of [...this.#waiting]) told(landing);
  }
}

/** The requests of a worker that others may wait for. */
export class WebFlights {
  readonly #flights = new Map<string, WebFlight>();

  /** Requests that waited for another's answer. */
  coalesced = 0;

  /** The flight that `read` may join; one from before the last epoch change or purge is not joined. */
  of(read: WebRead, asked: Asked): WebFlight | undefined {
    return this.#flights.get(nameOf(read, asked));
  }

  begin(read: WebRead, asked: Asked): WebFlight {
    const name = nameOf(read, asked);
    const flight = new WebFlight(() => {
      if (this.#flights.get(name) === flight) this.#flights.delete(name);
    });
    this.#flights.set(name, flight);
    return flight;
  }
}

function nameOf({ target }: WebRead, { epoch, barrier }: Asked): string {
  return `${epoch} ${barrier} ${target.key.text}`;
}
