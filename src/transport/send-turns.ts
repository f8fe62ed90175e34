/** A response with a piece to send. */
export interface QueuedSender {
  /** Called when the waiting piece may be sent. */
  sendNow(): void;
}

/**
 * How much all long responses of a worker together send per turn of the event loop (about a millisecond of copying).
 * Node accepts one new connection per turn; if a hundred responses each sent several MiB in every turn, new clients
 * would wait for seconds.
 */
const TURN_LIMIT_BYTES = 2 * 1024 * 1024;

/** Makes long responses take turns, one piece each while others wait. */
export class SendTurns {
  /** Waiting pieces with their sizes, in the order of their turns. */
  readonly #waiting = new Map<QueuedSender, number>();
  #leftBytes = TURN_LIMIT_BYTES;
  #isCounting = false;

  /**
   * Whether `sender` may send `sizeBytes` immediately. If not, its `sendNow` is called later, unless it is cancelled. At
   * most one piece per sender may wait.
   */
  mayBegin(sender: QueuedSender, sizeBytes: number): boolean {
    if (this.#leftBytes > 0 && this.#waiting.size === 0) {
      this.#spend(sizeBytes);
      return true;
    }
    this.#waiting.set(sender, sizeBytes);
    return false;
  }

  /** Cancels the waiting piece of `sender`. */
  cancel(sender: QueuedSender): void {
    this.#waiting.delete(sender);
  }

  #spend(sizeBytes: number): void {
    this.#leftBytes -= sizeBytes;
    if (this.#isCounting) return;
    this.#isCounting = true;
    setImmediate(this.#nextTurn);
  }

  readonly #nextTurn = (): void => {
    this.#isCounting = false;
    this.#leftBytes = TURN_LIMIT_BYTES;
    for (const [sender, sizeBytes] of this.#waiting) {
      if (this.#leftBytes <= 0) return;
      this.#waiting.delete(sender);
      this.#spend(sizeBytes);
      sender.sendNow();
    }
  };
}
