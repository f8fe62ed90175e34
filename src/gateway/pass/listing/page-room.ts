import { OverloadedError } from '../../fill/fill-error.ts';
import { StalledClientError } from '../../reply/pending-sends.ts';

/** Heap memory for the listing pages of one worker, from the request to the store until the client has taken them. */
const ROOM_BYTES = 64 * 1024 * 1024;

/** The usual size of an entry, and of the elements around the entries. */
const ENTRY_BYTES = 512;
const FRAME_BYTES = 16 * 1024;

/** The memory that a page of `entries` entries is expected to need. */
export function expectedBytes(entries: number): number {
  return FRAME_BYTES + entries * ENTRY_BYTES;
}

/** What one page holds. */
export interface PageHold {
  /**
   * Holds `sizeBytes` in place of what it held before.
   *
   * @throws OverloadedError when there is no room; the page then holds nothing
   */
  resize(sizeBytes: number): void;
  /** Holds nothing any more. Calling it again has no effect. */
  release(): void;
}

interface Hold {
  readonly client: string;
  readonly cutOff: (error: Error) => void;
  bytes: number;
}

/**
 * Bounds the memory of listing pages, fairly between clients. When it is full, the client that holds most loses its
 * oldest pages to clients that hold less, and gets no further ones. So a client that requests many pages, or takes
 * them slowly, takes no room away from others. One page alone may be larger than the room.
 */
export class PageRoom {
  /** The pages of each client, oldest first. */
  readonly #byClient = new Map<string, Set<Hold>>();
  #usedBytes = 0;

  /** Memory that pages hold now. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /**
   * Takes room for a page of `client`.
   *
   * @param cutOff ends the page in favour of another client's
   * @throws OverloadedError when there is no room, and no other client holds more than this one
   */
  take(client: string, sizeBytes: number, cutOff: (error: Error) => void): PageHold {
    const hold: Hold = { client, cutOff, bytes: 0 };
    this.#hold(hold, sizeBytes);
    return {
      resize: bytes => this.#resize(hold, bytes),
      release: () => this.#release(hold),
    };
  }

  #resize(hold: Hold, sizeBytes: number): void {
    if (!this.#byClient.get(hold.client)?.has(hold)) throw new OverloadedError();
    this.#release(hold);
    this.#hold(hold, sizeBytes);
  }

  #hold(hold: Hold, sizeBytes: number): void {
    while (this.#usedBytes > 0 && this.#usedBytes + sizeBytes > ROOM_BYTES) {
      const victim = this.#oldestOfRichest(this.#heldBy(hold.client) + sizeBytes);
      if (!victim) throw new OverloadedError();
      this.#release(victim);
      victim.cutOff(new StalledClientError());
    }
    const holds = this.#byClient.get(hold.client) ?? new Set();
    this.#byClient.set(hold.client, holds.add(hold));
    hold.bytes = sizeBytes;
    this.#usedBytes += sizeBytes;
  }

  #release(hold: Hold): void {
    const holds = this.#byClient.get(hold.client);
    if (!holds?.delete(hold)) return;
    this.#usedBytes -= hold.bytes;
    if (holds.size === 0) this.#byClient.delete(hold.client);
  }

  /** The oldest page of the client that holds most, if that is more than `bytes`. */
  #oldestOfRichest(bytes: number): Hold | undefined {
    let mostBytes = bytes;
    let oldest: Hold | undefined;
    for (const [client, holds] of this.#byClient) {
      const heldBytes = this.#heldBy(client);
      if (heldBytes <= mostBytes) continue;
      mostBytes = heldBytes;
      [oldest] = holds;
    }
    return oldest;
  }

  #heldBy(client: string): number {
    let heldBytes = 0;
    for (const { bytes } of this.#byClient.get(client) ?? []) heldBytes += bytes;
    return heldBytes;
  }
}
