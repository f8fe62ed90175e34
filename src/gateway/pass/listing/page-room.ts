import { OverloadedError } from '../../fill/fill-error.ts';
import { StalledClientError } from '../../reply/pending-sends.ts';

/** Memory for the listings of one worker: bodies of the store, entries read, and pages that clients have not taken. */
const ROOM_BYTES = 64 * 1024 * 1024;

/** What one listing holds. */
export interface PageHold {
  /**
   * Holds `sizeBytes` in place of what it held before.
   *
   * @throws OverloadedError when there is no room; the listing then holds nothing
   */
  resize(sizeBytes: number): void;
  /** Holds nothing any more. Calling it again has no effect. */
  release(): void;
}

interface Hold {
  readonly cutOff: (error: Error) => void;
  bytes: number;
}

/** The listings of one client, oldest first. */
interface Client {
  readonly holds: Set<Hold>;
  bytes: number;
}

/**
 * Bounds the memory of listings, fairly between clients. When it is full, the client that holds most loses its oldest
 * listings to clients that hold less, and gets no further room. So a client that requests many pages, or takes them
 * slowly, takes no room away from others. One page alone may be larger than the room.
 */
export class PageRoom {
  readonly #clients = new Map<string, Client>();
  #usedBytes = 0;

  /** Memory that listings hold now. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /**
   * Begins a listing of `client`, which holds nothing yet.
   *
   * @param cutOff ends the listing in favour of another client's
   */
  begin(client: string, cutOff: (error: Error) => void): PageHold {
    const hold: Hold = { cutOff, bytes: 0 };
    const known = this.#clients.get(client) ?? { holds: new Set(), bytes: 0 };
    known.holds.add(hold);
    this.#clients.set(client, known);
    return {
      resize: bytes => this.#resize(client, hold, bytes),
      release: () => this.#release(client, hold),
    };
  }

  #resize(name: string, hold: Hold, sizeBytes: number): void {
    const client = this.#clients.get(name);
    if (!client?.holds.has(hold)) throw new OverloadedError();
    this.#add(client, hold, -hold.bytes);
    while (this.#usedBytes > 0 && this.#usedBytes + sizeBytes > ROOM_BYTES) {
      const victim = this.#oldestOfRichest(client.bytes + sizeBytes);
      if (!victim) {
        this.#release(name, hold);
        throw new OverloadedError();
      }
      victim();
    }
    this.#add(client, hold, sizeBytes);
  }

  #add(client: Client, hold: Hold, sizeBytes: number): void {
    hold.bytes += sizeBytes;
    client.bytes += sizeBytes;
    this.#usedBytes += sizeBytes;
  }

  #release(name: string, hold: Hold): void {
    const client = this.#clients.get(name);
    if (!client?.holds.delete(hold)) return;
    this.#add(client, hold, -hold.bytes);
    if (client.holds.size === 0) this.#clients.delete(name);
  }

  /** Cuts off the oldest listing of the client that holds most, if that is more than `bytes`. */
  #oldestOfRichest(bytes: number): (() => void) | undefined {
    let mostBytes = bytes;
    let richest: [string, Client] | undefined;
    for (const [name, client] of this.#clients) {
      if (client.bytes <= mostBytes) continue;
      mostBytes = client.bytes;
      richest = [name, client];
    }
    if (!richest) return undefined;
    const [name, { holds }] = richest;
    const oldest = Array.from(holds).find(hold => hold.bytes > 0);
    return (
      oldest &&
      (() => {
        this.#release(name, oldest);
        oldest.cutOff(new StalledClientError());
      })
    );
  }
}
