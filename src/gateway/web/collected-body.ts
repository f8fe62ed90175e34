import type { Generation } from '../../cache/generation.ts';
import { writeWhole } from '../fill/write-whole.ts';
import type { WebClient } from './web-read.ts';

/** Longer answers without a strong entity tag are passed on without being kept. */
export const COLLECTED_LIMIT_BYTES = 8 * 2 ** 20;

/** What the bodies that a worker collects may take at the same time. */
const ALL_LIMIT_BYTES = 64 * 2 ** 20;

/**
 * The share of the bodies that one client gets, or has not taken yet, at most: slow readers must not end the caching for others. It is
 * no more than half of what the others leave, so that the next one finds as much.
 */
const CLIENT_LIMIT_BYTES = ALL_LIMIT_BYTES / 4;

/** Who gets a body while it is collected. */
type BodyClient = Pick<WebClient, 'whenGone' | 'quota'>;

/** The bodies that a worker collects, within one limit. */
export class Collections {
  #heldBytes = 0;
  /** Of that, what is for each client, by `WebClient.quota`. */
  readonly #clientBytes = new Map<string, number>();

  /**
   * @param limitBytes longer bodies are dropped
   * @param client may hold what it was sent for longer; undefined where nobody gets it
   */
  begin(limitBytes: number, client: BodyClient | undefined): CollectedBody {
    return new CollectedBody(this, Math.min(limitBytes, COLLECTED_LIMIT_BYTES), client);
  }

  /** False when there is no room for `lengthBytes` more. @param quota of the client that they are for, see `WebClient.quota` */
  take(lengthBytes: number, quota: string | undefined): boolean {
    if (this.#heldBytes + lengthBytes > ALL_LIMIT_BYTES) return false;
    if (quota !== undefined && !this.#takeShare(lengthBytes, quota)) return false;
    this.#heldBytes += lengthBytes;
    return true;
  }

  #takeShare(lengthBytes: number, quota: string): boolean {
    const heldBytes = this.#clientBytes.get(quota) ?? 0;
    const ofOthersBytes = this.#heldBytes - heldBytes;
    const takenBytes = heldBytes + lengthBytes;
    if (takenBytes > Math.min(CLIENT_LIMIT_BYTES, (ALL_LIMIT_BYTES - ofOthersBytes) / 2)) return false;
    this.#clientBytes.set(quota, takenBytes);
    return true;
  }

  /** The same for what was taken. */
  release(lengthBytes: number, quota: string | undefined): void {
    this.#heldBytes -= lengthBytes;
    if (quota === undefined) return;
    const leftBytes = (this.#clientBytes.get(quota) ?? 0) - lengthBytes;
    if (leftBytes > 0) this.#clientBytes.set(quota, leftBytes);
    else this.#clientBytes.delete(quota);
  }
}

/** A body that is kept only if it ends, because parts of it could not be fetched again. */
export class CollectedBody {
  readonly #all: Collections;
  readonly #limitBytes: number;
  readonly #client: BodyClient | undefined;
  readonly #quota: string | undefined;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;

  constructor(all: Collections, limitBytes: number, client: BodyClient | undefined) {
    this.#all = all;
    this.#limitBytes = limitBytes;
    this.#client = client;
    // nobody knows any more once the client has left
    this.#quota = client?.quota;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get chunks(): readonly Buffer[] {
    return this.#chunks;
  }

  /** Keeps `chunk`, which nobody changes any more; otherwise the body is dropped: it is too long, or finds no room now. */
  add(chunk: Buffer): 'kept' | 'too-long' | 'no-room' {
    const isTooLong = this.#sizeBytes + chunk.length > this.#limitBytes;
    if (isTooLong || !this.#all.take(chunk.length, this.#quota)) {
      this.drop();
      return isTooLong ? 'too-long' : 'no-room';
    }
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
    return 'kept';
  }

  /** Writes the whole body into `generation`; false when there is no room for it. Drops it here. */
  writeTo(generation: Generation): boolean {
    const body = Buffer.concat(this.#chunks);
    this.drop();
    return writeWhole(generation, body);
  }

  /** The bytes count until the client has taken them too, so that slow ones cannot hold any number (docs/architecture.md, law 8). */
  drop(): void {
    const [all, client, sizeBytes] = [this.#all, this.#client, this.#sizeBytes];
    const quota = this.#quota;
    const release = () => all.release(sizeBytes, quota);
    if (client) client.whenGone(release);
    else release();
    this.#chunks = [];
    this.#sizeBytes = 0;
  }
}
