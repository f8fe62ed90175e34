import { ReadBuffer } from '../transport/read-buffer.ts';
import { OriginPool, type OriginPoolOptions } from './origin-pool.ts';

interface Held {
  readonly pool: OriginPool;
  calls: number;
}

/** A pool that is in use until `release`. */
export interface PoolLease {
  readonly pool: OriginPool;
  release(): void;
}

/**
 * The connection pools of one store, by host. With virtual addressing each bucket name is a host, and clients may
 * choose bucket names, so at most `limit` pools are kept. Only pools in use may exceed the limit.
 */
export class OriginPools {
  readonly #protocol: string;
  readonly #options: OriginPoolOptions;
  readonly #limit: number;
  readonly #readBuffer = new ReadBuffer();
  /** In the order of last use, the oldest first. */
  readonly #pools = new Map<string, Held>();
  readonly #closing = new Set<Promise<void>>();

  /** @param protocol `http:` or `https:`. */
  constructor(protocol: string, options: OriginPoolOptions, limit: number) {
    this.#protocol = protocol;
    this.#options = options;
    this.#limit = limit;
  }

  get size(): number {
    return this.#pools.size;
  }

  /** @param host with port, if any. */
  lease(host: string): PoolLease {
    const held = this.#pools.get(host) ?? this.#open(host);
    held.calls++;
    this.#pools.delete(host);
    this.#pools.set(host, held);
    let isHeld = true;
    return {
      pool: held.pool,
      release: () => {
        if (isHeld) held.calls--;
        isHeld = false;
      },
    };
  }

  async close(): Promise<void> {
    const pools = Array.from(this.#pools.values(), ({ pool }) => pool.close());
    await Promise.all([...pools, ...this.#closing]);
  }

  #open(host: string): Held {
    this.#closeIdle();
    return { pool: new OriginPool(`${this.#protocol}//${host}`, this.#options, this.#readBuffer), calls: 0 };
  }

  #closeIdle(): void {
    for (const [host, { pool, calls }] of this.#pools) {
      if (this.#pools.size < this.#limit) return;
      if (calls > 0) continue;
      this.#pools.delete(host);
      const closed = pool.close().finally(() => this.#closing.delete(closed));
      this.#closing.add(closed);
    }
  }
}
