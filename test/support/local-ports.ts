import type { PeerPort } from '../../src/gateway/workers/peer-link.ts';

/** One end of a channel within this thread: what is posted arrives in a later microtask, cloned as between threads. */
class LocalPort implements PeerPort {
  #other: LocalPort | undefined;
  readonly #hear: ((message: unknown) => void)[] = [];
  readonly #closed: (() => void)[] = [];
  #isOpen = true;

  join(other: LocalPort): void {
    this.#other = other;
  }

  postMessage(message: unknown): void {
    const clone = structuredClone(message);
    queueMicrotask(() => this.#other?.receive(clone));
  }

  on(event: 'message', listener: (message: unknown) => void): this;
  on(event: 'close', listener: () => void): this;
  on(event: 'message' | 'close', listener: (message: unknown) => void): this {
    if (event === 'message') this.#hear.push(listener);
    else this.#closed.push(() => listener(undefined));
    return this;
  }

  receive(message: unknown): void {
    if (this.#isOpen) for (const hear of this.#hear) hear(message);
  }

  /** Nothing more goes either way. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#other?.close();
    for (const closed of this.#closed) closed();
  }
}

/** The two ends of a channel. */
export function localPorts(): [LocalPort, LocalPort] {
  const [one, other] = [new LocalPort(), new LocalPort()];
  one.join(other);
  other.join(one);
  return [one, other];
}
