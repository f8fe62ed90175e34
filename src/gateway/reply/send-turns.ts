/** Somebody with a piece of an answer to send. */
export interface TurnTaker {
  /** The piece that waits may be sent now. */
  sendNow(): void;
}

/**
 * As much is sent in one turn of the event loop, all long answers of a worker together, give or take a piece: a millisecond
 * of copying. The system hands over one new connection in a turn, so with a hundred answers that each send some MiB in it
 * new clients wait for seconds.
 */
const TURN_LIMIT_BYTES = 2 * 1024 * 1024;

/** Has those who send long answers take turns, one piece each where others wait. */
export class SendTurns {
  /** With the sizes of their pieces, in the order of their turns. */
  readonly #waiting = new Map<TurnTaker, number>();
  #leftBytes = TURN_LIMIT_BYTES;
  #isCounting = false;

  /**
   * Whether `taker` may send `sizeBytes` at once. If not, it is called later, unless it gives up before.
   * It may have one piece waiting.
   */
  mayBegin(taker: TurnTaker, sizeBytes: number): boolean {
    if (this.#leftBytes > 0 && this.#waiting.size === 0) {
      this.#spend(sizeBytes);
      return true;
    }
    this.#waiting.set(taker, sizeBytes);
    return false;
  }

  /** `taker` does not want to send any more. */
  giveUp(taker: TurnTaker): void {
    this.#waiting.delete(taker);
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
    for (const [taker, sizeBytes] of this.#waiting) {
      if (this.#leftBytes <= 0) return;
      this.#waiting.delete(taker);
      this.#spend(sizeBytes);
      taker.sendNow();
    }
  };
}
