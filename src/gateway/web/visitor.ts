import type { LocalClient } from './local-client.ts';
import type { WaitingClient } from './waiting-client.ts';

/** A client of a website at a web origin: several reads may be made for it, of which one answers it. */
export class Visitor {
  readonly client: LocalClient;
  /** Called when it leaves. */
  readonly #leaving = new Set<() => void>();
  #waiting: WaitingClient | undefined;
  #hasLeft = false;

  constructor(client: LocalClient) {
    this.client = client;
  }

  get isThere(): boolean {
    return !this.#hasLeft;
  }

  /**
   * Waits for one of the reads.
   *
   * @param left called when the client leaves, unless `forget` was called before
   * @throws TooManyRequestsError
   */
  wait(left: () => void): void {
    if (this.#hasLeft) {
      queueMicrotask(left);
      return;
    }
    this.#leaving.add(left);
    this.waiting();
  }

  forget(left: () => void): void {
    this.#leaving.delete(left);
  }

  /** What passes an answer on as it comes. @throws TooManyRequestsError */
  waiting(): WaitingClient {
    this.#waiting ??= this.client.wait(() => {
      this.#hasLeft = true;
      for (const left of this.#leaving) left();
    });
    return this.#waiting;
  }

  /** It is answered otherwise; false when it has left. */
  release(): boolean {
    this.#waiting?.release();
    this.#waiting = undefined;
    return this.isThere;
  }
}
