/** What one job holds. */
export interface RoomHold {
  /**
   * Holds `sizeBytes` in place of what it held before.
   *
   * @throws the error for overload when there is no room; the job then holds nothing
   */
  resize(sizeBytes: number): void;
  /** Holds nothing any more. Calling it again has no effect. */
  release(): void;
}

interface Hold {
  readonly giveWay: () => void;
  bytes: number;
}

/** The jobs of one client, oldest first. */
interface Client {
  readonly holds: Set<Hold>;
  bytes: number;
}

/**
 * Bounds the memory of jobs, fairly between clients. When it is full, the client that holds most loses its oldest jobs to
 * clients that hold less, and gets no further room. So a client with many jobs, or slow ones, takes no room away from
 * others. One job alone may be larger than the room.
 */
export class FairRoom {
  readonly #sizeBytes: number;
  readonly #overload: () => Error;
  readonly #clients = new Map<string, Client>();
  #usedBytes = 0;

  /** @param overload makes the error for a job that finds no room */
  constructor(sizeBytes: number, overload: () => Error) {
    this.#sizeBytes = sizeBytes;
    this.#overload = overload;
  }

  /** Memory that jobs hold now. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /**
   * Begins a job of `client`, which holds nothing yet.
   *
   * @param giveWay ends the job in favour of another client's
   */
  begin(client: string, giveWay: () => void): RoomHold {
    const hold: Hold = { giveWay, bytes: 0 };
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
    if (!client?.holds.has(hold)) throw this.#overload();
    this.#add(client, hold, -hold.bytes);
    while (this.#usedBytes > 0 && this.#usedBytes + sizeBytes > this.#sizeBytes) {
      const victim = this.#oldestOfRichest(client.bytes + sizeBytes);
      if (!victim) {
        this.#release(name, hold);
        throw this.#overload();
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

  /** Ends the oldest job of the client that holds most, if that is more than `bytes`. */
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
        oldest.giveWay();
      })
    );
  }
}
